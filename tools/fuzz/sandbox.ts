import { lstatSync, mkdirSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from '../../harness/scratch.ts';

/** Commands that a program might start without being asked to; in the sandbox each only says that it was. */
const COMMANDS =
  'bash bun c++ cat cc clang clang++ cmake cp curl g++ gcc git ld make mv node npm npx ninja pip pip3 python python3 rm sh tar touch unzip uv wget'.split(
    ' ',
  );

/** Folders in which inputs are read and written; whatever comes into being elsewhere should not have. */
export class Sandbox {
  readonly root = scratchFolder('fuzz');
  /** Where the command runs: deep enough that `../../x` is still inside. */
  readonly cwd = join(this.root, 'deep', 'er', 'work');
  /** Where inputs lie, and where output may go, both in {@link cwd}. */
  readonly input = join(this.cwd, 'in');
  readonly output = join(this.cwd, 'out');
  readonly #spawned = join(this.root, 'spawned');
  #before = '';

  constructor() {
    for (const folder of ['home', 'tmp', 'bin']) mkdirSync(join(this.root, folder));
    for (const folder of [this.input, this.output]) mkdirSync(folder, { recursive: true });
    for (const name of COMMANDS) {
      writeFileSync(join(this.root, 'bin', name), `#!/bin/sh\necho ${name} "$@" >> ${this.#spawned}\nexit 1\n`, {
        mode: 0o755,
      });
    }
  }

  /** The environment of the sandbox: a home, a PATH and folders for temporary files and downloads that are its own. */
  get env(): Record<string, string> {
    return {
      PATH: join(this.root, 'bin'),
      HOME: join(this.root, 'home'),
      TMPDIR: join(this.root, 'tmp'),
      PJRT_CONFORMANCE_CACHE: join(this.output, 'cache'),
      NO_COLOR: '1',
    };
  }

  /** Empties the output and remembers what is there. */
  begin(): void {
    rmSync(this.output, { recursive: true, force: true });
    mkdirSync(this.output);
    this.#before = this.#listing();
  }

  /** What has come, gone or changed where nothing should have; never mind what lies in these folders. */
  changes(except: readonly string[] = []): string | undefined {
    const now = this.#listing();
    if (now === this.#before) return undefined;
    const [before, after] = [new Set(this.#before.split('\n')), new Set(now.split('\n'))];
    const matters = (line: string): boolean => !except.some((folder) => line.startsWith(folder));
    const gone = [...before].filter((line) => !after.has(line) && matters(line)).map((line) => `- ${line}`);
    const come = [...after].filter((line) => !before.has(line) && matters(line)).map((line) => `+ ${line}`);
    return gone.length + come.length > 0 ? [...gone, ...come].join('\n') : undefined;
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  #listing(): string {
    const lines: string[] = [];
    const visit = (folder: string): void => {
      for (const name of readdirSync(folder).sort()) {
        const path = join(folder, name);
        if (path === this.output) continue;
        const facts = lstatSync(path);
        const what = facts.isSymbolicLink() ? `-> ${readlinkSync(path)}` : `${facts.mode} ${facts.mtimeMs}`;
        lines.push(facts.isDirectory() ? `${path}/` : `${path} ${facts.size} ${what}`);
        if (facts.isDirectory()) visit(path);
      }
    };
    visit(this.root);
    return lines.join('\n');
  }
}
