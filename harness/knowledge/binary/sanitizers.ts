import type { ElfFile } from './elf-file.ts';

/** A sanitizer of GCC and Clang: how a library shows that it was built with it, and where it takes its options from. */
interface SanitizerKind {
  name: string;
  /** What such a library imports. */
  symbol: RegExp;
  /** The runtime of GCC, which a library names as needed. */
  gcc: RegExp;
  /** The runtime of Clang, which it does not name by default: the part of its file name between `libclang_rt.` and the processor. */
  clang: string;
  variable: string;
  /** Options that a user may override. */
  options: string;
  /** It works only in a program that was built with it as a whole. */
  wholeProgram?: boolean;
}

/** The name of no library. */
const NONE = /^$/;

/**
 * In the order in which runtimes have to be loaded. AddressSanitizer ends the process with a signal, so that the case in which it
 * found something is a crash; the others go on. Exit codes of their own at the end would be taken for the plugin's.
 */
const KINDS = [
  {
    name: 'AddressSanitizer',
    symbol: /^__asan_/,
    gcc: /^libasan\.so\./,
    clang: 'asan',
    variable: 'ASAN_OPTIONS',
    options: 'abort_on_error=1:detect_leaks=1:exitcode=0:fast_unwind_on_malloc=0:malloc_context_size=8',
  },
  {
    name: 'LeakSanitizer',
    symbol: /^__lsan_/,
    gcc: /^liblsan\.so\./,
    clang: 'lsan',
    variable: 'LSAN_OPTIONS',
    options: 'exitcode=0:fast_unwind_on_malloc=0:malloc_context_size=8',
  },
  {
    name: 'ThreadSanitizer',
    symbol: /^__tsan_/,
    gcc: /^libtsan\.so\./,
    clang: 'tsan',
    variable: 'TSAN_OPTIONS',
    options: 'exitcode=0',
  },
  {
    name: 'UndefinedBehaviorSanitizer',
    symbol: /^__ubsan_/,
    gcc: /^libubsan\.so\./,
    clang: 'ubsan_standalone',
    variable: 'UBSAN_OPTIONS',
    options: 'print_stacktrace=1',
  },
  {
    name: 'MemorySanitizer',
    symbol: /^__msan_/,
    gcc: NONE,
    clang: 'msan',
    variable: 'MSAN_OPTIONS',
    options: '',
    // It has to see every write to memory.
    wholeProgram: true,
  },
] as const satisfies SanitizerKind[];

/** A sanitizer that a library was built with. */
export interface Sanitizer extends Omit<SanitizerKind, 'symbol' | 'gcc'> {
  /** The runtime that the library names; undefined if the compiler leaves it to the program, as Clang does. */
  runtime?: string;
}

/** The sanitizers that a library was built with, and whose runtimes it does not contain. */
export function sanitizersOf({ symbols, needed }: Pick<ElfFile, 'symbols' | 'needed'>): Sanitizer[] {
  return KINDS.flatMap(({ symbol, gcc, ...kind }: SanitizerKind) => {
    const runtime = needed.find((name) => gcc.test(name) || name.startsWith(`libclang_rt.${kind.clang}`));
    const imports = symbols.imported.some(({ name, weak }) => !weak && symbol.test(name));
    return runtime !== undefined || imports ? [{ ...kind, ...(runtime === undefined ? {} : { runtime }) }] : [];
  });
}
