import { expect, test } from 'vitest';
import { analyseProgram } from './analyse.ts';
import { generateProgram } from './generate.ts';
import { countOps, opsOf, type Program, type Region } from './ir.ts';
import { candidates, shrink, tidy } from './shrink.ts';

const nodesOf = ({ nodes }: Region): Region['nodes'][number][] =>
  nodes.flatMap((node) => [node, ...(node.regions ?? []).flatMap(nodesOf)]);

/** As a plugin with one wrong operation: it matters wherever a result needs it. */
const has =
  (op: string) =>
  (program: Program): boolean =>
    opsOf(tidy(program)).includes(op);

test.each(['remainder', 'sort', 'dot_general', 'while', 'scatter', 'reduce_window', 'convert', 'pad'])(
  'programs that fail because of %s are shrunk to little else',
  async (op) => {
    const numbers = Array.from({ length: 300 }, (_, i) => i).filter((i) => has(op)(generateProgram(9, i, 'standard')));
    for (const i of numbers.slice(0, 3)) {
      const small = await shrink(generateProgram(9, i, 'standard'), 'standard', async (programs) =>
        programs.map(has(op)),
      );
      expect(opsOf(small)).toContain(op);
      expect(countOps(small)).toBeLessThanOrEqual(3);
      expect(small.results).toHaveLength(1);
      analyseProgram(small, 'standard');
    }
  },
  60_000,
);

test('what fails in company keeps its company', async () => {
  const both = (program: Program): boolean => has('add')(program) && has('multiply')(program);
  const found = Array.from({ length: 300 }, (_, i) => generateProgram(9, i, 'standard')).find(both)!;
  const small = await shrink(found, 'standard', async (programs) => programs.map(both));
  expect(new Set(opsOf(small))).toEqual(new Set([...opsOf(small), 'add', 'multiply']));
  expect(countOps(small)).toBeLessThanOrEqual(4);
});

test('an operation that no result needs, and without which the program does not fail, is shrunk to', async () => {
  const fails = ({ nodes }: Program): boolean => nodes.some(({ op }) => op === 'divide');
  const programs = Array.from({ length: 2000 }, (_, i) => generateProgram(9, i, 'standard'));
  const found = programs.find((program) => fails(program) && !fails(tidy(program)))!;
  const small = await shrink(found, 'standard', async (all) => all.map(fails));
  expect(opsOf(small)).toContain('divide');
  expect(countOps(small)).toBeLessThanOrEqual(3);
});

test('every candidate is valid and smaller', () => {
  for (let i = 0; i < 20; i++) {
    const program = generateProgram(4, i, 'standard');
    for (const smaller of candidates(program, 'standard').slice(0, 50)) {
      analyseProgram(smaller, 'standard');
      expect(nodesOf(smaller).length).toBeLessThanOrEqual(nodesOf(program).length);
    }
  }
});

test('a program that fails only as it is stays as it is', async () => {
  const program = generateProgram(9, 1, 'standard');
  expect(await shrink(program, 'standard', async (programs) => programs.map((p) => p === program))).toBe(program);
});
