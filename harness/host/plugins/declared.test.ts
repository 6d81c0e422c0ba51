import { expect, test } from 'vitest';
import type { Declared } from '../../model/plugin.ts';
import { declaration, isDeclared, programDeclaration } from './declared.ts';

const declared: Declared = {
  dtypes: ['f32', 's32'],
  ops: ['add', 'sort'],
  extensions: ['Layouts'],
  memoryKinds: ['device'],
  functions: ['PJRT_Buffer_CopyToDevice'],
};

test.each([
  [{ dtype: 'f32' }, { dtype: 'f64' }, 'the element type f32'],
  [{ op: 'sort' }, { op: 'scatter' }, 'the operation sort'],
  [{ extension: 'Layouts' }, { extension: 'Stream' }, 'the extension Layouts'],
  [{ memoryKind: 'device' }, { memoryKind: 'pinned_host' }, 'the memory kind device'],
  [
    { function: 'PJRT_Buffer_CopyToDevice' },
    { function: 'PJRT_Buffer_Bitcast' },
    'the function PJRT_Buffer_CopyToDevice',
  ],
])('%o is declared, %o is not', (has, lacks, words) => {
  expect(isDeclared(declared, has)).toBe(true);
  expect(isDeclared(declared, lacks)).toBe(false);
  expect(declaration(declared, has)).toBe(`the plugin's manifest declares ${words}`);
  expect(declaration(declared, lacks)).toBeUndefined();
});

test('nothing is promised without a declaration', () => {
  expect(isDeclared(undefined, { dtype: 'f32' })).toBe(false);
  expect(isDeclared({ ops: ['add'] }, { dtype: 'f32' })).toBe(false);
  expect(programDeclaration(undefined, { ops: ['add'], dtypes: ['f32'] })).toBeUndefined();
  expect(programDeclaration(declared, { ops: [], dtypes: [] })).toBeUndefined();
});

test('a program is promised if everything in it is', () => {
  expect(programDeclaration(declared, { ops: ['add', 'sort'], dtypes: ['f32'] })).toBe(
    "the plugin's manifest declares all that the program needs (add, sort on f32)",
  );
  expect(programDeclaration(declared, { ops: ['add', 'tan'], dtypes: ['f32'] })).toBeUndefined();
  expect(programDeclaration(declared, { ops: ['add'], dtypes: ['f32', 'f64'] })).toBeUndefined();
});
