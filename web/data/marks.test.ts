import { expect, test } from 'vitest';
import type { HtmlFinding } from '../../harness/report/html-data.ts';
import { programMarks, stepMarks } from './marks.ts';
import { parametersOf } from './parameters.ts';

const finding = (more: Partial<HtmlFinding>): HtmlFinding => ({ type: 'x', level: 'must', message: '', ...more });

test('the step that fails is marked, and one that only warns as such', () => {
  const marks = stepMarks({ status: 'fail' }, [
    finding({ line: 7, level: 'should' }),
    finding({ line: 9 }),
    finding({ line: 3, level: 'info' }),
    finding({}),
  ]);
  expect([...marks]).toEqual([
    [7, 'warns here'],
    [9, 'fails here'],
  ]);
});

test('what fails hides what warns on the same line', () => {
  const both = [finding({ line: 7, level: 'should' }), finding({ line: 7 })];
  expect([...stepMarks({ status: 'fail' }, both)]).toEqual([[7, 'fails here']]);
  expect([...stepMarks({ status: 'fail' }, both.reverse())]).toEqual([[7, 'fails here']]);
});

test.each([
  ['crash', 'the process died here'],
  ['timeout', 'did not return here'],
] as const)('a %s says how the step ended', (status, words) => {
  expect([...stepMarks({ status }, [finding({ line: 2 })])]).toEqual([[2, words]]);
});

const PROGRAM = `module {
  func.func @main(%a: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %a, %a : tensor<f32>
    return %0 : tensor<f32>
  }
}`;

test("a line is marked that the plugin's message names, if the operation is there", () => {
  const said = (line: number, op: string): string[] => ['other', `-:${line}:10: error: '${op}' op can't be translated`];
  expect([...programMarks(PROGRAM, said(3, 'stablehlo.add')).keys()]).toEqual([3]);
  // The plugin may have numbered the lines of another text.
  expect([...programMarks(PROGRAM, said(4, 'stablehlo.add'))]).toEqual([]);
  expect([...programMarks(PROGRAM, said(99, 'stablehlo.add'))]).toEqual([]);
});

test('the operation whose results differ is marked, unless the program has several', () => {
  expect([...programMarks(PROGRAM, [], 'add')]).toEqual([[3, 'its result differs']]);
  expect([...programMarks(PROGRAM, [], 'ad')]).toEqual([]);
  expect([...programMarks(`${PROGRAM}\n${PROGRAM}`, [], 'add')]).toEqual([]);
});

test('parameters are read from the name of a case', () => {
  expect(parametersOf('bounded[op=sine,dtype=f32]')).toEqual([
    ['op', 'sine'],
    ['dtype', 'f32'],
  ]);
  expect(parametersOf('plain')).toEqual([]);
  expect(parametersOf('one[text=a=b,c]')).toEqual([['text', 'a=b,c']]);
});
