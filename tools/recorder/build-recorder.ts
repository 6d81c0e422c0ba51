/**
 * Part of `npm run build`: compiles plugins/recorder for this machine with its C++ compiler, if it runs Linux; with `--all`, as part of
 * `npm pack`, for every Linux that the package brings it to, with the compiler of Zig, on whose C library it loads from glibc 2.25 on.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { packagePath } from '../../harness/base/paths.ts';
import { GENERATED } from '../reference/generated-sources.ts';
import { DIRECTORY, LIBRARIES, sourcesOf } from './libraries.ts';
import { RECORDER_GENERATED, writeRecorderSources } from './recorder-sources.ts';

/** Systems, as Node names them, and as Zig does. */
const TARGETS: Readonly<Record<string, string>> = {
  'linux-x64': 'x86_64-linux-gnu.2.25',
  'linux-arm64': 'aarch64-linux-gnu.2.25',
};
/** Compilers of Debian for other systems. */
const CROSS: Readonly<Record<string, string>> = { 'linux-arm64': 'aarch64-linux-gnu-gcc' };
/** GCC and not G++: nothing of the C++ library is used, which a process with a framework has already. */
const FLAGS = [
  ...['-std=c++17', '-O2', '-fPIC', '-fvisibility=hidden', '-fno-exceptions', '-fno-rtti', '-fno-threadsafe-statics'],
  ...['-Wall', '-Wextra', '-Werror', '-shared', '-pthread', '-s', '-Wl,--gc-sections', '-Wl,--no-undefined'],
];
/** What moves to another library with glibc 2.34 is bound to its old version where no target says which glibc it is for. */
const OLD_GLIBC = '-DRECORDER_OLD_GLIBC';
const SYSTEM_FLAGS: Readonly<Record<string, readonly string[]>> = { 'linux-arm64': ['-mno-outline-atomics'] };

const runs = ([command, ...args]: readonly string[]): boolean =>
  spawnSync(command!, args, { stdio: 'ignore' }).status === 0;

const own = `${process.platform}-${process.arch}`;

/** The command line that compiles for a system; undefined where nothing here does. */
function compilerFor(system: string): string[] | undefined {
  const native = process.env.PJRT_RECORDER_CC ?? (system === own ? 'cc' : CROSS[system]);
  if (native !== undefined && runs([native, '--version'])) return [native, OLD_GLIBC, ...(SYSTEM_FLAGS[system] ?? [])];
  const zig = [['zig'], ['python3', '-m', 'ziglang']].find((one) => runs([...one, 'version']));
  return zig && [...zig, 'cc', '-target', TARGETS[system]!, '-fno-sanitize=all'];
}

const asked = (system: string): boolean =>
  process.argv.includes('--all') || system === own || runs([CROSS[system] ?? 'none', '--version']);

writeRecorderSources();
const named = readdirSync(DIRECTORY)
  .filter((name) => /\.(cc|h)$/.test(name))
  .sort();
const hash = createHash('sha256').update(JSON.stringify([FLAGS, LIBRARIES]));
for (const file of [
  ...named.map((name) => join(DIRECTORY, name)),
  join(RECORDER_GENERATED, 'layouts.inc'),
  join(GENERATED, 'pjrt_c_api.h'),
])
  hash.update(readFileSync(file));
const sourcesDigest = hash.digest('hex');

for (const system of Object.keys(TARGETS).filter(asked)) {
  for (const library of LIBRARIES) {
    const { exported, flags } = library;
    const file = library.fileOf(system);
    const compiler = compilerFor(system);
    const digest = `${sourcesDigest} ${compiler?.join(' ')}\n`;
    // Not beside the library, which the package brings.
    const built = packagePath('build', 'recorder', `${basename(file)}.digest`);
    if (existsSync(file) && existsSync(built) && readFileSync(built, 'utf8') === digest) continue;
    if (!compiler) {
      console.error(
        `${basename(file)} is not built: ${system === own ? 'a C++ compiler (cc) or ' : ''}Zig (pip install ziglang) is needed; without it, \`record\` does not work on ${system}`,
      );
      continue;
    }
    mkdirSync(dirname(file), { recursive: true });
    mkdirSync(dirname(built), { recursive: true });
    const map = join(dirname(built), `${exported}.map`);
    writeFileSync(map, `{ global: ${exported}; local: *; };\n`);
    const [command, ...args] = compiler;
    const part = `${file}.part`;
    const { status, stderr, error } = spawnSync(
      command!,
      [
        ...args,
        ...FLAGS,
        ...flags,
        `-I${GENERATED}`,
        `-Wl,--version-script=${map}`,
        ...sourcesOf(library),
        '-ldl',
        '-o',
        part,
      ],
      { encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(`${basename(file)}: ${error?.message ?? stderr}`);
    renameSync(part, file);
    writeFileSync(built, digest);
  }
}
