import childProcess from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Program } from './programs.ts';

/**
 * Observes side effects of a program in this process: which processes it starts, and where it writes. Must be installed
 * before the program is imported.
 */
interface Watch {
  /** Starts processes unobserved. */
  spawnSync: typeof childProcess.spawnSync;
  /** Forbidden side effects since the last call. */
  take(): SideEffect[];
}

/** A side effect of a program. */
interface SideEffect {
  what: string;
  /** The file concerned. */
  file?: string;
}

/** Allowed side effects of a program. */
interface Allowed {
  /** Where it may write: a directory, or a file. */
  directory: string;
  /** The only program that it may start, as a Node process. */
  program?: { path: string; instead: Program };
}

type Call = (...args: unknown[]) => unknown;

const STARTS = ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'] as const;

/** Functions that change files, and which arguments name the files. */
const WRITES: Readonly<Record<string, readonly number[]>> = {
  appendFile: [0],
  chmod: [0],
  chown: [0],
  copyFile: [1],
  cp: [1],
  link: [1],
  mkdir: [0],
  mkdtemp: [0],
  rename: [0, 1],
  rm: [0],
  rmdir: [0],
  symlink: [1],
  truncate: [0],
  unlink: [0],
  utimes: [0],
  writeFile: [0],
};

/** Devices that discard what is written to them. */
const SWALLOWS = ['/dev/null', '/dev/zero'];

export function watchProcess(allowed: Allowed): Watch {
  const seen: SideEffect[] = [];
  const { spawnSync, spawn } = childProcess;
  const processes = childProcess as unknown as Record<string, Call>;
  for (const name of STARTS) {
    processes[name] = (...args) => {
      const { path, instead } = allowed.program ?? {};
      const [command, words] = args as [string, string[]];
      if (name === 'spawn' && instead && command === process.execPath && words.at(-1) === path) {
        return spawn(command, [...instead.execArgv, instead.path], args[2] as object);
      }
      seen.push({ what: `a process would have been started: ${name} ${JSON.stringify(args.slice(0, 2))}` });
      throw new Error(`nothing may be started: ${name}`);
    };
  }
  const record = (name: string, path: unknown): void => {
    if (typeof path === 'number') return;
    const file = resolve(path instanceof URL ? fileURLToPath(path) : String(path));
    if (SWALLOWS.includes(file) || !relative(allowed.directory, file).startsWith('..')) return;
    seen.push({ what: `a file elsewhere: ${name} ${file}`, file });
  };
  const watched = (owner: Record<string, unknown>, name: string, places: readonly number[]): void => {
    const call = owner[name] as Call;
    if (typeof call !== 'function') return;
    owner[name] = (...args: unknown[]) => {
      for (const place of places) record(name, args[place]);
      return call(...args);
    };
  };
  const opened = (owner: Record<string, unknown>, name: string): void => {
    const call = owner[name] as Call;
    owner[name] = (...args: unknown[]) => {
      const flags = name === 'createWriteStream' ? 'w' : args[1];
      if (typeof flags === 'string' && /[wa+]/.test(flags)) record(name, args[0]);
      return call(...args);
    };
  };
  const all = fs as unknown as Record<string, unknown>;
  const promises = fs.promises as unknown as Record<string, unknown>;
  for (const [name, places] of Object.entries(WRITES)) {
    for (const [owner, form] of [
      [all, name],
      [all, `${name}Sync`],
      [promises, name],
    ] as const) {
      watched(owner, form, places);
    }
  }
  for (const name of ['open', 'openSync', 'createWriteStream']) opened(all, name);
  opened(promises, 'open');
  syncBuiltinESMExports();
  return { spawnSync, take: () => seen.splice(0) };
}
