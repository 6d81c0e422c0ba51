import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { packagePath } from '../../base/paths.ts';
import { readProgramFile } from './program-file.ts';
import { loadProgram } from './programs.ts';

const directory = mkdtempSync(join(tmpdir(), 'pjrt-program-file-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const example = (name: string): string => packagePath('examples', 'programs', name);

test('an artifact with the text of the same program beside it has both forms', () => {
  const program = readProgramFile(example('attention_bf16.mlirbc'));
  expect(program.hasText).toBe(true);
  expect(program.text()).toContain('func.func public @main');
  expect(program.artifacts).toHaveLength(1);
});

test('an artifact alone has no text', () => {
  const program = readProgramFile(example('word_count.mlirbc'));
  expect(program.hasText).toBe(false);
  expect(() => program.text()).toThrow(/word_count\.mlirbc is an artifact, and there is no text of it beside it/);
});

test('the text of another program beside an artifact is an error', () => {
  copyFileSync(example('attention_bf16.mlirbc'), join(directory, 'a.mlirbc'));
  writeFileSync(join(directory, 'a.mlir'), loadProgram('misc/add_one').text());
  expect(() => readProgramFile(join(directory, 'a.mlirbc'))).toThrow(
    /a\.mlir is not the program of .*a\.mlirbc: it is \(f32\[\d*\]\) -> \(f32\[\d*\]\), the artifact \(bf16/,
  );
});
