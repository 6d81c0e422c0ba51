import { type ExportedSymbol, exportedSymbols as readSymbols } from '../../binary/elf-symbols.ts';
import { CheckFailure, NotSupported } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';

const SHOWN = 8;

/** Libraries that other plugins and the framework have too: two copies that find each other's symbols break both. */
const SHARED: readonly [RegExp, string][] = [
  [/^_Z\w{0,4}?4absl/, 'Abseil'],
  [/^_Z\w{0,4}?6google8protobuf/, 'protobuf'],
  [/^_Z\w{0,4}?4llvm|^LLVM[A-Z]/, 'LLVM'],
  [/^_Z\w{0,4}?4mlir|^mlir[A-Z]/, 'MLIR'],
  [/^_Z\w{0,4}?(?:3xla|3tsl|10tensorflow|9stablehlo)/, 'XLA'],
  [/^_Z\w{0,4}?4grpc|^grpc_/, 'gRPC'],
  [/^_Z(?:nw|na|dl|da)\w*$|^(?:malloc|free|calloc|realloc|posix_memalign|aligned_alloc|memalign)$/, 'the allocator'],
];

/** The dynamic symbols of the library: GetPjrtApi, and nothing of what other libraries in the process have as well. */
export const exportedSymbols: Probe = (context) => {
  const symbols = readSymbols(context.plugin.path);
  if (!symbols) throw new NotSupported('the library is no 64-bit ELF file with section headers');
  for (const [pattern, what] of SHARED) {
    report(
      symbols.filter((s) => pattern.test(s.name)),
      `symbols of ${what}`,
    );
  }
  report(
    symbols.filter((s) => s.binding === 'unique'),
    'symbols that are unique in the process, RTLD_LOCAL or not',
  );

  function report(found: readonly ExportedSymbol[], what: string): void {
    if (found.length === 0) return;
    const names = found.map((s) => s.name).sort();
    context.report({
      type: 'pjrt.ExportedSymbols',
      level: 'should',
      message: `the library exports ${names.length} ${what}`,
      detail: `${names.slice(0, SHOWN).join('\n')}${names.length > SHOWN ? `\n… ${names.length} in all` : ''}`,
    });
  }
  if (!symbols.some((s) => s.name === 'GetPjrtApi')) {
    throw new CheckFailure({
      type: 'pjrt.ExportedSymbols',
      message: 'GetPjrtApi is not among the symbols that the library itself exports',
      requirements: ['ABI-LOAD-001'],
    });
  }
};
