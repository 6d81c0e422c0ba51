import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compile } from '../../../tests/support/c-compiler.ts';
import { exportedSymbols } from './elf-symbols.ts';

test.runIf(process.platform === 'linux')('exported symbols and all others', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'elf-'));
  try {
    const source = join(directory, 'library.c');
    writeFileSync(
      source,
      [
        'extern int elsewhere(void);',
        'int strong(void) { return elsewhere(); }',
        'static int internal(void) { return 1; }',
        '__attribute__((weak)) int weak(void) { return internal(); }',
        '__attribute__((visibility("hidden"))) int hidden(void) { return 2; }',
      ].join('\n'),
    );
    const library = join(directory, 'library.so');
    await compile(['-shared', '-fPIC', source, '-o', library]);
    const own = exportedSymbols(library)!.filter((s) => /strong|weak|hidden|internal|elsewhere/.test(s.name));
    expect(own.sort((a, b) => a.name.localeCompare(b.name))).toEqual([
      { name: 'strong', binding: 'global' },
      { name: 'weak', binding: 'weak' },
    ]);
    expect(exportedSymbols(source)).toBeUndefined();
  } finally {
    rmSync(directory, { recursive: true });
  }
});
