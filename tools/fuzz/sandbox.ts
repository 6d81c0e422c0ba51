import { lstatSync, mkdirSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchDirectory } from '../../harness/base/scratch.ts';

/** Commands that a program might start unasked; in the sandbox each only records that it was started. */
const COMMANDS =
  'bash bun c++ cat cc clang clang++ cmake cp curl g++ gcc git ld make mv node npm npx ninja pip pip3 python python3 rm sh tar touch unzip uv wget'.split(
    ' ',
  );

/** Directories in which inputs are read and written; nothing may be created elsewhere. */
export class Sandbox {
  readonly root: string;
  /** Working directory of the command: deep enough that `../../x` is still inside. */
  readonly cwd: string;
  /** Paths of inputs and of allowed output, both in {@link cwd}. */
  readonly input: string;
  readonly output: string;
  readonly #spawned: string;
  #before = '';

  /** @param root an empty directory, with which it ends */
  constructor(root = scratchDirectory('fuzz')) {
    this.root = root;
    this.cwd = join(root, 'deep', 'er', 'work');
    this.input = join(this.cwd, 'in');
    this.output = join(this.cwd, 'out');
    this.#spawned = join(root, 'spawned');
    for (const directory of ['home', 'tmp', 'bin']) mkdirSync(join(this.root, directory));
    for (const directory of [this.input, this.output]) mkdirSync(directory, { recursive: true });
    for (const name of COMMANDS) {
      writeFileSync(join(this.root, 'bin', name), `#!/bin/sh\necho ${name} "$@" >> ${this.#spawned}\nexit 1\n`, {
        mode: 0o755,
      });
    }
  }

  /** The environment of the sandbox, with its own home, PATH, and directories for temporary files and downloads. */
  get env(): Record<string, string> {
    return {
      PATH: join(this.root, 'bin'),
      HOME: join(this.root, 'home'),
      TMPDIR: join(this.root, 'tmp'),
      PJRT_CONFORMANCE_CACHE: join(this.output, 'cache'),
      NO_COLOR: '1',
    };
  }

  /** Empties the output and records what exists. */
  begin(): void {
    rmSync(this.output, { recursive: true, force: true });
    mkdirSync(this.output);
    this.#before = this.#listing();
  }

  /** Files created, removed or changed where they should not be; ignores these directories. */
  changes(except: readonly string[] = []): string | undefined {
    const now = this.#listing();
    if (now === this.#before) return undefined;
    const [before, after] = [new Set(this.#before.split('\n')), new Set(now.split('\n'))];
    const matters = (line: string): boolean => !except.some((directory) => line.startsWith(directory));
    const gone = [...before].filter((line) => !after.has(line) && matters(line)).map((line) => `- ${line}`);
    const come = [...after].filter((line) => !before.has(line) && matters(line)).map((line) => `+ ${line}`);
    return gone.length + come.length > 0 ? [...gone, ...come].join('\n') : undefined;
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  #listing(): string {
    const lines: string[] = [];
    const visit = (directory: string): void => {
      for (const name of readdirSync(directory).sort()) {
        const path = join(directory, name);
        // The loader of these sources has its cache among the temporary files.
        if (path === this.output || name.startsWith('tsx-')) continue;
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
