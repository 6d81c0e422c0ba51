import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { DTYPES } from '../numerics/dtypes.ts';
import { programNeeds } from '../programs/program-needs.ts';
import { loadProgram, programNames } from '../programs/programs.ts';
import { casesOf, formatDeclaration, programsForOps } from './declare.ts';

test('the programs use every operation that runs on one device, on common types if there is a choice', () => {
  const chosen = programsForOps();
  const ops = (names: readonly string[]) => new Set(names.flatMap((name) => programNeeds(loadProgram(name)).ops));
  const all = ops(programNames().filter((n) => !/^(custom_call|memory|versions|multi|bad)\//.test(n)));
  expect([...all].filter((op) => !ops(chosen).has(op))).toEqual([]);
  expect(chosen.length).toBeLessThan(100);
  const halves = chosen.filter((name) => programNeeds(loadProgram(name)).dtypes.includes('f16'));
  expect(halves).toEqual([]);
});

test('every element type and every requested program is tried', () => {
  const ids = casesOf(['binary/add_f32']).map(({ id }) => id);
  expect(ids).toHaveLength(DTYPES.length + 1);
  expect(ids).toEqual(expect.arrayContaining(['declare:dtype[dtype=f32]', 'declare:program[program=binary/add_f32]']));
});

test('the draft reads back as it was', () => {
  const declared = {
    dtypes: ['f32', 's8'],
    ops: ['add'],
    extensions: [],
    memoryKinds: ['on'],
    functions: ['PJRT_Api'],
  };
  const text = formatDeclaration('a plugin\n with a break', declared);
  expect(parse(text)).toEqual({ declares: declared });
  expect(text).toContain('dtypes: [ f32, s8 ]');
});
