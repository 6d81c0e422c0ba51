/**
 * Part of `npm run build`: compiles recorder.c and faults.c of harness/worker/ffi for this machine with its C compiler, where it has one; with
 * `--all`, as part of `npm pack`, for every system that the package brings it to, with the compiler of Zig, which has all of them.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { packagePath } from '../../harness/base/paths.ts';
import { recorderFile } from '../../harness/worker/ffi/recorder-file.ts';

/** Systems, as Node names them, and as Zig does. */
const TARGETS: Readonly<Record<string, string>> = {
  'linux-x64': 'x86_64-linux-gnu',
  'linux-arm64': 'aarch64-linux-gnu',
  'darwin-x64': 'x86_64-macos',
  'darwin-arm64': 'aarch64-macos',
};
const SOURCES = ['recorder.c', 'faults.c'].map((name) => packagePath('harness', 'worker', 'ffi', name));
/** Without the C library, so that it loads with whatever version of whichever one the process has. */
const FLAGS = ['-O2', '-fPIC', '-shared', '-nostdlib', '-s', '-fno-stack-protector', '-fvisibility=hidden'];
const ZIGS = [['zig'], ['python3', '-m', 'ziglang']];

const runs = ([command, ...args]: readonly string[]): boolean =>
  spawnSync(command!, [...args, 'version'], { stdio: 'ignore' }).status === 0;

/** The command line that compiles for a system; undefined where nothing here does. */
function compilerFor(system: string): string[] | undefined {
  const zig = ZIGS.find(runs);
  if (
    system === `${process.platform}-${process.arch}` &&
    spawnSync('cc', ['--version'], { stdio: 'ignore' }).status === 0
  )
    return ['cc'];
  return zig && [...zig, 'cc', '-target', TARGETS[system]!, '-fno-sanitize=all'];
}

const own = `${process.platform}-${process.arch}`;
for (const system of process.argv.includes('--all') ? Object.keys(TARGETS) : own in TARGETS ? [own] : []) {
  const file = recorderFile(system);
  const changed = Math.max(...SOURCES.map((source) => statSync(source).mtimeMs));
  if (existsSync(file) && statSync(file).mtimeMs >= changed) continue;
  const compiler = compilerFor(system);
  if (!compiler) {
    console.error(
      `${basename(file)} is not built: ${system === own ? 'a C compiler (cc) or ' : ''}Zig (pip install ziglang) is needed; without it, callbacks there wait for the event loop, and nothing says which memory a crash was about`,
    );
    continue;
  }
  mkdirSync(dirname(file), { recursive: true });
  const [command, ...args] = compiler;
  const { status, stderr, error } = spawnSync(command!, [...args, ...FLAGS, '-o', file, ...SOURCES], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${basename(file)}: ${error?.message ?? stderr}`);
}
