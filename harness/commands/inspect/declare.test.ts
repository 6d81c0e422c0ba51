import { expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import type { RunPlan } from '../../host/run-plan.ts';
import { DTYPES } from '../../knowledge/numerics/dtypes.ts';
import { programNeeds } from '../../knowledge/programs/program-needs.ts';
import { loadProgram, programNames } from '../../knowledge/programs/programs.ts';
import { casesOf, declare, formatDeclaration, programsForOps } from './declare.ts';

const plans = vi.hoisted((): RunPlan[] => []);
vi.mock('../../host/runner.ts', () => ({ runPlan: async (plan: RunPlan) => void plans.push(plan) }));

test('the programs use every operation that runs on one device, on common types if there is a choice', () => {
  const chosen = programsForOps();
  const ops = (names: readonly string[]) => new Set(names.flatMap((name) => programNeeds(loadProgram(name)).ops));
  const all = ops(
    programNames().filter(
      (n) =>
        !/^(custom_call|memory|versions|bad)\//.test(n) &&
        loadProgram(n).replicas === 1 &&
        loadProgram(n).partitions === 1,
    ),
  );
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

test.each([
  [undefined, 120_000],
  [5000, 5000],
])('a deadline of %s is that of every step: %d ms', async (timeout, ms) => {
  const { stdout, stderr } = process;
  const environment = { cwd: '/', env: {}, argv: [], stdout, stderr, signal: new AbortController().signal };
  await declare(import.meta.filename, { timeout, fetch: false }, environment, (_, work) => work);
  expect(plans.pop()!.deadlines).toEqual({ load: ms, clientCreate: ms, first: ms, call: ms, case: ms });
});
