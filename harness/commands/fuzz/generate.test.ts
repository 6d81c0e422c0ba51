import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { analyseProgram } from './analyse.ts';
import { generateProgram } from './generate.ts';
import { countOps, opsOf } from './ir.ts';
import { printProgram } from './print.ts';
import { RULES } from './rules.ts';

const PROGRAMS = Array.from({ length: 600 }, (_, i) => generateProgram(3, i, 'standard'));

test('a seed and a number give the same program on every machine', () => {
  const text = PROGRAMS.slice(0, 100).map(printProgram).join('');
  expect(printProgram(generateProgram(3, 41, 'standard'))).toBe(printProgram(PROGRAMS[41]!));
  expect(createHash('sha256').update(text).digest('hex').slice(0, 16)).toMatchInlineSnapshot(`"844b71265371ad48"`);
});

test('programs are valid when they are analysed again', () => {
  for (const program of PROGRAMS) {
    const known = analyseProgram(program, 'standard');
    expect(known).toHaveLength(program.parameters.length + program.nodes.length);
  }
});

test('every operation occurs, in programs of many sizes', () => {
  const ops = new Set(PROGRAMS.flatMap(opsOf));
  expect(Object.keys(RULES).filter((op) => !ops.has(op))).toEqual([]);
  const sizes = PROGRAMS.map(countOps);
  expect(Math.min(...sizes)).toBeLessThan(3);
  expect(Math.max(...sizes)).toBeGreaterThan(30);
});

test('shapes have every rank, empty ones and ones beyond a tile among them', () => {
  const shapes = PROGRAMS.flatMap(({ parameters }) => parameters.map(({ shape }) => shape));
  const ranks = new Set(shapes.map((shape) => shape.length));
  // Results of forms with batches, which may be arguments of others, have one more.
  ranks.delete(6);
  expect(ranks).toEqual(new Set([0, 1, 2, 3, 4, 5]));
  for (const size of [0, 1, 127, 128, 129]) expect(shapes.some((shape) => shape.includes(size))).toBe(true);
});

test('arguments are unused, results repeated, and there are several of both', () => {
  const unused = PROGRAMS.filter(({ parameters, nodes, results }) =>
    parameters.some((_, i) => !results.includes(i) && nodes.every(({ operands }) => !operands.includes(i))),
  );
  expect(unused.length).toBeGreaterThan(0);
  expect(PROGRAMS.filter(({ results }) => new Set(results).size < results.length).length).toBeGreaterThan(0);
  expect(PROGRAMS.filter(({ results }) => results.length > 2).length).toBeGreaterThan(100);
});
