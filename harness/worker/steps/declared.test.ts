import { expect, test } from 'vitest';
import type { Declared } from '../../model/plugin.ts';
import { PjrtError } from '../pjrt/errors.ts';
import type { CaseContext } from './context.ts';
import { compileDeclared, demandDeclared } from './declared.ts';
import { CheckFailure } from './outcome.ts';

const context = (declares: Declared | undefined) => ({ subjects: [{ setup: { declares } }] }) as unknown as CaseContext;
const refuse = (code: string) => () => {
  throw new PjrtError('PJRT_Client_Compile', 0, code, 'no such op', []);
};
const all: Declared = { ops: ['add'], dtypes: ['f32'] };
const caught = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    return error;
  }
};

test('what is declared must be there', () => {
  const feature = { extension: 'Layouts' };
  expect(() => demandDeclared(context({ extensions: ['Layouts'] }), feature, 'there is no Layouts')).toThrow(
    CheckFailure,
  );
  expect(() => demandDeclared(context({ extensions: [] }), feature, 'there is no Layouts')).not.toThrow();
  expect(() => demandDeclared(context(undefined), feature, 'there is no Layouts')).not.toThrow();
});

test('a declared program that is refused breaks the declaration, in words', () => {
  const error = caught(() => compileDeclared(context(all), 'binary/add_f32', refuse('UNIMPLEMENTED'))) as CheckFailure;
  expect(error).toBeInstanceOf(CheckFailure);
  expect(error.finding).toMatchObject({
    type: 'pjrt.BrokenDeclaration',
    level: 'must',
    message:
      "PJRT_Client_Compile refuses binary/add_f32 with UNIMPLEMENTED, but the plugin's manifest declares all that the program needs (add on f32)",
    detail: 'message: no such op',
  });
});

test.each([
  ['other programs', all, 'binary/add_f64', 'UNIMPLEMENTED'],
  ['nothing declared', undefined, 'binary/add_f32', 'UNIMPLEMENTED'],
  ['text of a suite', all, undefined, 'UNIMPLEMENTED'],
  ['an error that excuses nothing anyhow', all, 'binary/add_f32', 'INTERNAL'],
] as const)('%s: the error stays what it is', (_, declares, program, code) => {
  expect(caught(() => compileDeclared(context(declares), program, refuse(code)))).toBeInstanceOf(PjrtError);
});

test('what compiles is handed on', () => {
  expect(compileDeclared(context(all), 'binary/add_f32', () => 7)).toBe(7);
});
