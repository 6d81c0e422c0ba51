/** What the files of plugins show about their company without being loaded: never a failure, sometimes its cause. */
import type { ElfFile } from '../../knowledge/binary/elf-file.ts';
import { searchPathFlaw } from '../../knowledge/binary/search-paths.ts';
import { sharedSymbols } from '../../knowledge/binary/shared-symbols.ts';

/** One observation. */
export interface StaticNote {
  /** clash: several export the same symbols · unique: symbols that exist once in a process · soname · needed: libraries that both bring · stack · search-path · static-tls */
  kind: 'clash' | 'unique' | 'soname' | 'needed' | 'stack' | 'search-path' | 'static-tls';
  level: 'warning' | 'info';
  plugins: string[];
  message: string;
  /** Examples. */
  names?: string[];
}

/** A plugin and its file. */
export interface StaticSubject {
  name: string;
  elf: ElfFile;
}

/** glibc keeps this much room for thread-local variables of libraries that are loaded later, unless a tunable says otherwise. */
const STATIC_TLS_SURPLUS = 1664;
const EXAMPLES = 12;

/** What every plugin has, and what linkers define in every library. */
const EVERYWHERE = /^(?:GetPjrtApi|_init|_fini|_edata|_end|__bss_start|_IO_stdin_used|__data_start)$/;
/** Libraries of the system, which the process has once in any case. */
const OF_SYSTEM =
  /^(?:libc|libm|libdl|libpthread|librt|libutil|libresolv|libgcc_s|libstdc\+\+|libatomic|libz|ld-linux[\w-]*)\.so/;

/** All observations on the files. */
export function staticNotes(subjects: readonly StaticSubject[]): StaticNote[] {
  return [
    ...subjects.flatMap((one) => [...ofOne(one)]),
    ...subjects.flatMap((one, i) => subjects.slice(i + 1).flatMap((other) => [...ofTwo(one, other)])),
    ...ofAll(subjects),
  ];
}

const note = (
  kind: StaticNote['kind'],
  level: StaticNote['level'],
  plugins: string[],
  message: string,
  names?: string[],
): StaticNote => ({ kind, level, plugins, message, names });

function* ofOne({ name, elf }: StaticSubject): Generator<StaticNote> {
  if (elf.executableStack) {
    const refused = 'makes the stacks of all threads executable; glibc 2.41 and later refuse to load it';
    yield note('stack', 'warning', [name], `${name} ${refused}`);
  }
  for (const path of new Set([...(elf.rpath ?? []), ...(elf.runpath ?? [])])) {
    const flaw = searchPathFlaw(path);
    if (flaw === undefined) continue;
    yield note('search-path', 'warning', [name], `${name} searches for libraries in '${path}', which ${flaw}`);
  }
}

function* ofTwo(one: StaticSubject, other: StaticSubject): Generator<StaticNote> {
  const plugins = [one.name, other.name];
  const [a, b] = [one, other].map(({ elf }) => new Map(elf.symbols.exported.map((s) => [s.name, s])));
  const both = [...a!.values()].filter(({ name }) => b!.has(name) && !EVERYWHERE.test(name));
  const unique = both.filter((s) => s.binding === 'unique' && b!.get(s.name)!.binding === 'unique');
  if (unique.length > 0) {
    const message = `${unique.length} symbols of both exist once in a process, even with RTLD_LOCAL (STB_GNU_UNIQUE): ${other.name} uses those of ${one.name} if that is loaded first`;
    yield note('unique', 'warning', plugins, message, namesOf(unique));
  }
  const clashing = both.filter((s) => s.binding !== 'unique');
  if (clashing.length > 0 && !(one.elf.symbolic && other.elf.symbolic)) {
    const groups = sharedSymbols(clashing).map(({ what }) => what);
    const risk = groups.length > 0 ? `; among them ${groups.join(', ')}` : '';
    const message = `both export ${clashing.length} symbols of the same names${risk}: harmless with RTLD_LOCAL; with RTLD_GLOBAL or when linked, one is used for both`;
    yield note('clash', 'info', plugins, message, namesOf(clashing));
  }
  const { soname, needed } = one.elf;
  if (soname !== undefined && soname === other.elf.soname) {
    const message = `both have the SONAME ${soname}: by their paths they are loaded separately, but a library that needs ${soname} gets the first`;
    yield note('soname', 'info', plugins, message);
  }
  const shared = needed.filter((name) => other.elf.needed.includes(name) && !OF_SYSTEM.test(name));
  if (shared.length > 0) {
    const message = `both need ${shared.join(', ')}: the process has each once, from the search path of the plugin that is loaded first`;
    yield note('needed', 'info', plugins, message);
  }
}

function* ofAll(subjects: readonly StaticSubject[]): Generator<StaticNote> {
  const using = subjects.filter(({ elf }) => elf.staticTlsBytes > 0);
  const bytes = using.reduce((sum, { elf }) => sum + elf.staticTlsBytes, 0);
  if (bytes <= STATIC_TLS_SURPLUS) return;
  const names = using.map(({ name }) => name);
  const message = `${names.join(', ')} need ${bytes} bytes of static thread-local storage together; by default glibc has ${STATIC_TLS_SURPLUS} for libraries loaded at run time (glibc.rtld.optional_static_tls)`;
  yield note('static-tls', 'warning', names, message);
}

const namesOf = (symbols: readonly { name: string }[]): string[] =>
  symbols
    .map(({ name }) => name)
    .sort()
    .slice(0, EXAMPLES);
