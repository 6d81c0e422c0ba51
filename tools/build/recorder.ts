/**
 * Part of `npm run build`: compiles recorder.c and faults.c of harness/worker/ffi for this machine with its C compiler, where it has one, and
 * for systems that this machine has a cross compiler of; with `--all`, as part of `npm pack`, for every system that the package brings it to,
 * with the compiler of Zig, which has all of them.
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
/** Compilers of Debian for other systems. */
const CROSS: Readonly<Record<string, string>> = { 'linux-arm64': 'aarch64-linux-gnu-gcc' };
const SOURCES = ['recorder.c', 'faults.c', 'stacks.c'].map((name) => packagePath('harness', 'worker', 'ffi', name));
/** Without the C library, so that it loads with whatever version of whichever one the process has. */
const FLAGS = ['-O2', '-fPIC', '-shared', '-nostdlib', '-s', '-fno-stack-protector', '-fvisibility=hidden'];
/** GCC calls functions of its own library for atomic operations there, unless it may not; without them nothing loads the library. */
const SYSTEM_FLAGS: Readonly<Record<string, readonly string[]>> = { 'linux-arm64': ['-mno-outline-atomics'] };
const ZIGS = [['zig'], ['python3', '-m', 'ziglang']];

const runs = ([command, ...args]: readonly string[]): boolean =>
  spawnSync(command!, [...args, 'version'], { stdio: 'ignore' }).status === 0;
const isCompiler = (command: string | undefined): boolean =>
  command !== undefined && spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0;

const own = `${process.platform}-${process.arch}`;

/** The command line that compiles for a system; undefined where nothing here does. */
function compilerFor(system: string): string[] | undefined {
  const native = system === own ? 'cc' : CROSS[system];
  if (isCompiler(native)) return [native!];
  const zig = ZIGS.find(runs);
  return zig && [...zig, 'cc', '-target', TARGETS[system]!, '-fno-sanitize=all'];
}

const asked = (system: string): boolean =>
  process.argv.includes('--all') || system === own || isCompiler(CROSS[system]);
for (const system of Object.keys(TARGETS).filter(asked)) {
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
  const flags = [...FLAGS, ...(SYSTEM_FLAGS[system] ?? [])];
  const { status, stderr, error } = spawnSync(command!, [...args, ...flags, '-o', file, ...SOURCES], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${basename(file)}: ${error?.message ?? stderr}`);
}
