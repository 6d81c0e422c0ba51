import { exportedSymbols as readSymbols } from '../../../knowledge/binary/elf-symbols.ts';
import { sharedSymbols, uniqueSymbols } from '../../../knowledge/binary/shared-symbols.ts';
import { CheckFailure, NotSupported } from '../../steps/outcome.ts';
import { probe } from '../probe.ts';

const SHOWN = 8;

/** The dynamic symbols of the library: GetPjrtApi, and nothing of what other libraries in the process have as well. */
export const exportedSymbols = probe('exported-symbols', {}, (context) => {
  const symbols = readSymbols(context.plugin.path);
  if (!symbols) throw new NotSupported('the library is no ELF file, or its tables are damaged');
  for (const { what, names } of sharedSymbols(symbols)) report(names, `symbols of ${what}`);
  report(uniqueSymbols(symbols), 'symbols that are unique in the process, RTLD_LOCAL or not');

  function report(names: readonly string[], what: string): void {
    if (names.length === 0) return;
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
});
