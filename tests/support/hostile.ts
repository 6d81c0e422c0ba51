import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { endianness, tmpdir } from 'node:os';
import { join } from 'node:path';
import { packagePath } from '../../harness/base/paths.ts';
import { Abi } from '../../harness/knowledge/abi/abi.ts';
import { cHeader } from '../../harness/knowledge/abi/c-header.ts';
import { buildKey, cached, compile } from './c-compiler.ts';

const SOURCES = packagePath('fixtures', 'hostile');
const OUTPUT = packagePath('build', 'hostile');

const FLAGS = ['-std=gnu11', '-O1', '-g', '-Wall', '-Wextra', '-fPIC', '-fvisibility=hidden'];
// The table is filled through pointers of one type, whatever the type of the slot.
const PLUGIN_FLAGS = [...FLAGS, '-fno-strict-aliasing', '-shared', '-Wl,-z,lazy'];
const LIBRARIES = ['-lm', '-lpthread', '-ldl'];

export interface HostileOptions {
  /** Minor of the C API that the plugin is built for: 81 has neither of the two function tables. */
  minor?: number;
}

type Make = (target: string, options: Required<HostileOptions>) => Promise<void> | void;

/** Plugins without a C file of their own, or built in another way. */
const SPECIAL: Record<string, Make> = {
  'not-elf': (target) => writeFileSync(target, `This is a text file, not a shared library.\n${'-'.repeat(80)}\n`),
  'empty-file': (target) => writeFileSync(target, ''),
  'wrong-arch': async (target, options) => {
    const library = Buffer.from(readFileSync(await buildHostile('toy', options)));
    const machine = endianness() === 'LE' ? library.readUInt16LE(ELF_MACHINE) : library.readUInt16BE(ELF_MACHINE);
    const other = machine === EM_AARCH64 ? EM_X86_64 : EM_AARCH64;
    if (endianness() === 'LE') library.writeUInt16LE(other, ELF_MACHINE);
    else library.writeUInt16BE(other, ELF_MACHINE);
    writeFileSync(target, library);
  },
  'runpath-of-build-machine': (target, options) =>
    link(target, faultSource('toy'), options, ['-Wl,--enable-new-dtags,-rpath,/home/builder/toy/build/lib:lib']),
  'missing-dependency': async (target, options) => {
    const directory = mkdtempSync(join(tmpdir(), 'pjrt-hostile-'));
    try {
      const absent = join(directory, 'libpjrt-hostile-absent.so.1');
      await compile(['-shared', '-Wl,-soname,libpjrt-hostile-absent.so.1', '-x', 'c', '/dev/null', '-o', absent]);
      await link(target, faultSource('toy'), options, ['-Wl,--no-as-needed', absent]);
    } finally {
      rmSync(directory, { recursive: true });
    }
  },
};

/** Offset of e_machine in an ELF header, and two of its values. */
const ELF_MACHINE = 18;
const EM_X86_64 = 62;
const EM_AARCH64 = 183;

/** Every plugin that buildHostile can make, sorted. */
export function hostileNames(): string[] {
  const written = readdirSync(join(SOURCES, 'faults')).map((file) => file.replace(/\.c$/, ''));
  return [...written, ...Object.keys(SPECIAL)].sort();
}

/** Of each kind of harm a few: in loading, crashes, hangs, floods, damaged memory, other processes, false answers. */
export const HOSTILE_SAMPLE: readonly string[] = [
  ...['toy', 'not-elf', 'missing-dependency', 'abort-at-load', 'struct-size-0', 'cyclic-extensions'],
  ...['throws-in-client-create', 'segv-in-compile', 'exit0-in-compile', 'stack-overflow-in-compile', 'crash-in-thread'],
  ...['hang-in-compile', 'never-ready-event', 'floods-stderr', 'writes-past-struct-size', 'kills-siblings'],
  ...['daemon-keeps-streams', 'client-create-error', 'double-ready-callback'],
];

/** Builds one hostile plugin and returns its path, `build/hostile/<name>.so` (`<name>-0.<minor>.so` for another API). */
export async function buildHostile(name: string, options: HostileOptions = {}): Promise<string> {
  const minor = options.minor ?? DEFAULT_MINOR;
  const special = SPECIAL[name];
  const source = faultSource(special ? 'toy' : name);
  const shared = ['fault.h', 'siblings.h', 'daemon.h'].map((file) => join(SOURCES, file));
  const recipe = special ? special.toString() : name;
  const key = buildKey([source, ...shared], [recipe, baseKey(minor), ...PLUGIN_FLAGS]);
  const file = minor === DEFAULT_MINOR ? `${name}.so` : `${name}-0.${minor}.so`;
  const make: Make = special ?? ((target, given) => link(target, source, given, []));
  return cached(join(OUTPUT, file), key, (target) => make(target, { minor }));
}

/** Builds one that has a C file of its own with the compiler of another system. */
export async function crossBuildHostile(compiler: string, name: string, target: string): Promise<string> {
  const include = `-I${await headerDirectory(DEFAULT_MINOR)}`;
  const sources = [faultSource(name), ...baseSources().filter((file) => file.endsWith('.c'))];
  await compile([...PLUGIN_FLAGS, include, ...sources, '-o', target, ...LIBRARIES], compiler);
  return target;
}

/** Builds a plugin from the toy plugin and another C file (see fixtures/hostile/fault.h). */
export async function buildOnToy(source: string, target: string, options: HostileOptions = {}): Promise<string> {
  const minor = options.minor ?? DEFAULT_MINOR;
  const key = buildKey([source], [baseKey(minor), ...PLUGIN_FLAGS]);
  return cached(target, key, (temporary) => link(temporary, source, { minor }, [`-I${SOURCES}`]));
}

/** The same as a whole with a compiler and flags of its own. */
export async function buildOnToyWith(
  source: string,
  target: string,
  { compiler, flags }: { compiler: string; flags: readonly string[] },
): Promise<string> {
  const all = [...PLUGIN_FLAGS, ...flags, `-I${SOURCES}`, `-I${await headerDirectory(DEFAULT_MINOR)}`];
  const sources = [source, ...baseSources().filter((file) => file.endsWith('.c'))];
  const key = buildKey([source], [baseKey(DEFAULT_MINOR), compiler, ...all]);
  return cached(target, key, (temporary) => compile([...all, ...sources, '-o', temporary, ...LIBRARIES], compiler));
}

/** Builds the driver, a small caller in C that finds defects of a plugin (see fixtures/hostile/driver.c). */
export async function buildHostileDriver({ minor = DEFAULT_MINOR }: HostileOptions = {}): Promise<string> {
  const source = join(SOURCES, 'driver.c');
  const key = buildKey([source], [cHeader(Abi.at(minor)), ...FLAGS]);
  return cached(join(OUTPUT, `driver-0.${minor}`), key, async (target) => {
    await compile([...FLAGS, `-I${await headerDirectory(minor)}`, source, '-o', target, ...LIBRARIES]);
  });
}

const DEFAULT_MINOR = 114;

const baseSources = (): string[] => {
  const toy = readdirSync(join(SOURCES, 'toy')).map((file) => join(SOURCES, 'toy', file));
  return [...toy.sort(), join(SOURCES, 'fault.c'), join(SOURCES, 'fault.h')];
};

const baseKey = (minor: number): string => buildKey(baseSources(), [cHeader(Abi.at(minor)), ...PLUGIN_FLAGS]);

/** The toy plugin and the helpers of the faults, compiled once for all plugins. */
function buildBase(minor: number): Promise<string> {
  return cached(join(OUTPUT, `base-0.${minor}.o`), baseKey(minor), async (target) => {
    const sources = baseSources().filter((file) => file.endsWith('.c'));
    const flags = [...FLAGS, '-fno-strict-aliasing', `-I${await headerDirectory(minor)}`];
    await compile([...flags, '-r', '-nostdlib', ...sources, '-o', target]);
  });
}

async function headerDirectory(minor: number): Promise<string> {
  const directory = join(OUTPUT, `api-0.${minor}`);
  const text = cHeader(Abi.at(minor));
  await cached(join(directory, 'pjrt_c_api.h'), buildKey([], [text]), (target) => writeFileSync(target, text));
  return directory;
}

const faultSource = (name: string): string => join(SOURCES, 'faults', `${name}.c`);

async function link(
  target: string,
  source: string,
  { minor }: Required<HostileOptions>,
  extra: readonly string[],
): Promise<void> {
  const include = `-I${await headerDirectory(minor)}`;
  await compile([...PLUGIN_FLAGS, include, source, await buildBase(minor), ...extra, '-o', target, ...LIBRARIES]);
}
