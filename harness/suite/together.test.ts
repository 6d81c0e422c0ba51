import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { shownName } from './in-one-step.ts';
import { readSuite, readSuites } from './load.ts';
import { formatProblem } from './problem.ts';
import { readSample, SAMPLE_REQUIREMENTS } from './sample-suite.test-helper.ts';

const PARTS = `suite: sample
description: Members.
cases:
  - id: sum
    description: It adds.
    covers: [BUF-HOST-002]
    matrix: {dtype: [f32, f64]}
    requires: {dtypes: [$dtype], shapes: [[0]]}
    steps:
      - run: 'elementwise/add_\${dtype}_4'
        with: {a: {fill: {dtype: $dtype, shape: [4], value: 1}}, b: {fill: {dtype: $dtype, shape: [4], value: 2}}}
        gives: {y: {oracle: {op: add, of: [$a, $b]}}}
        refusable: this type
        lazy: true
  - id: twice
    description: Two programs, one after the other, add.
    covers: [BUF-HOST-002, BUF-HOST-005]
    steps:
      - data: {as: one, data: {fill: {dtype: f32, shape: [4], value: 1}}}
      - put: {as: x, data: $one}
      - compile: {as: f, program: elementwise/add_f32_4}
        precondition: there are sums
      - execute: {executable: $f, args: [$x, $x], as: [y]}
      - get: {buffer: $y, as: two}
      - data: {as: same, data: {oracle: {op: add, of: [$two, $one]}}}
      - expect: {actual: $same, equals: $two}
        breaks: [BUF-HOST-005]
      - execute: {executable: $f, args: [$x, $x], as: [z]}
      - get: {buffer: $z, equals: $two}
  - id: chained
    description: A result is an argument.
    covers: [BUF-HOST-002]
    steps:
      - put: {as: x, data: {fill: {dtype: f32, shape: [4], value: 1}}}
      - compile: {as: f, program: elementwise/add_f32_4}
      - execute: {executable: $f, args: [$x, $x], as: [y]}
      - execute: {executable: $f, args: [$y, $x], as: [z]}
  - id: alone
    description: It needs a client of its own.
    covers: [CLI-LKP-002]
    client: own
    steps:
      - client: {as: c}
  - id: fast
    description: It needs options.
    covers: [CLI-LKP-002]
    steps:
      - compile: {as: f, program: elementwise/add_f32_4, options: {portable: true}}
  - id: looped
    description: It repeats.
    covers: [CLI-LKP-002]
    steps:
      - repeat: 2
        steps:
          - destroy: $client
  - id: weak
    description: It only warns.
    covers: [CLI-LKP-002]
    level: should
    requires: {devices: 2}
    steps:
      - destroy: $client
`;

const textOf = (...ids: string[]): string => `suite: merged
description: Cases together.
cases:
  - id: all
    description: All do what each does.
    program: together/all
    together:
${ids.map((id) => `      - ${id}\n`).join('')}`;

function merge(ids: string[], members = ['elementwise/add_f64_4', 'elementwise/add_f32_4', 'elementwise/add_f32_4']) {
  const { suite, problems } = readSuite(textOf(...ids), {
    ...{ file: 'suites/merged.yaml', id: 'merged', requirements: SAMPLE_REQUIREMENTS, sets: new Map() },
    vocabulary: { members: new Map([['together/all', members]]) },
    casesOf: (id) => (id === 'sample' ? readSample(PARTS).cases : undefined),
  });
  return { cases: suite!.cases, errors: problems.map(formatProblem).join('\n') };
}

test('several cases become one, with one compilation and one execution', () => {
  const { cases, errors } = merge(['sample:sum[dtype=f64]', 'sample:twice']);
  expect(errors).toBe('');
  const { steps, ...rest } = cases[0]!;
  expect(rest).toMatchObject({
    id: 'merged:all',
    covers: ['BUF-HOST-002', 'BUF-HOST-005'],
    level: 'must',
    requires: { dtypes: ['f64'], shapes: [[0]] },
    members: ['sample:sum[dtype=f64]', 'sample:twice'],
  });
  const short = steps.map(({ verb, line, breaks, refusable: _, precondition, ...step }) =>
    [line, verb, 'as' in step ? step.as : '', breaks?.join(' ') ?? '', precondition ?? ''].join(' ').trim(),
  );
  expect(short).toEqual([
    '8 data Member0_a BUF-HOST-002',
    '8 data Member0_b BUF-HOST-002',
    '8 put Member0_a_buffer BUF-HOST-002',
    '8 put Member0_b_buffer BUF-HOST-002',
    '9 data Member1_one BUF-HOST-002 BUF-HOST-005',
    '9 put Member1_x BUF-HOST-002 BUF-HOST-005',
    '6 compile executable  there are sums',
    '6 execute Member0_y_buffer,Member1_y,Member1_z',
    '8 get Member0_y BUF-HOST-002',
    '8 expect  BUF-HOST-002',
    '9 get Member1_two BUF-HOST-002 BUF-HOST-005',
    '9 data Member1_same BUF-HOST-002 BUF-HOST-005',
    '9 expect  BUF-HOST-005',
    '9 get Member1_Contents_of_z BUF-HOST-002 BUF-HOST-005',
    '9 expect  BUF-HOST-002 BUF-HOST-005',
  ]);
  expect(steps[7]).toMatchObject({
    args: ['$Member0_a_buffer', '$Member0_b_buffer', '$Member1_x', '$Member1_x', '$Member1_x', '$Member1_x'],
    refusable: 'this type',
  });
  expect(steps[9]).toMatchObject({
    actual: '$Member0_y',
    equals: { oracle: { op: 'add', of: ['$Member0_a', '$Member0_b'] } },
  });
  const names = steps.flatMap((step) => (step.verb === 'expect' ? shownName(step.actual, rest.members) : []));
  expect(names).toEqual(['y of sample:sum[dtype=f64]', 'same of sample:twice', 'z of sample:twice']);
});

test('what cannot be in one program is an error in its line', () => {
  const ids = ['chained', 'alone', 'fast', 'looped', 'weak', 'sum', 'twise'].map((name) => `sample:${name}`);
  expect(merge([...ids, 'other:sum']).errors).toMatchInlineSnapshot(`
    "suites/merged.yaml:8:9: cases[0].together[0]: sample:chained cannot run with others: it has an argument that depends on a result
        help: leave it out
    suites/merged.yaml:9:9: cases[0].together[1]: sample:alone cannot run with others: it has \`client: own\`
        help: leave it out
    suites/merged.yaml:10:9: cases[0].together[2]: sample:fast cannot run with others: it has \`options\` in a step \`compile\`
        help: leave it out
    suites/merged.yaml:11:9: cases[0].together[3]: sample:looped cannot run with others: it has a step \`repeat\`
        help: leave it out
    suites/merged.yaml:12:9: cases[0].together[4]: sample:weak cannot run with others: it has \`requires: {"devices":2}\`
        help: leave it out
    suites/merged.yaml:13:9: cases[0].together[5]: no case "sample:sum"
        expected: a case of a suite in the same directories, with all of its parameters: suite:case[key=value]
    suites/merged.yaml:14:9: cases[0].together[6]: no case "sample:twise"
        expected: a case of a suite in the same directories, with all of its parameters: suite:case[key=value]
        help: did you mean "sample:twice"?
    suites/merged.yaml:15:9: cases[0].together[7]: no case "other:sum"
        expected: a case of a suite in the same directories, with all of its parameters: suite:case[key=value]"
  `);
});

test('the programs of the cases are those of the program, in their order', () => {
  const errors = (...last: string[]): string => merge(['sample:sum[dtype=f64]', 'sample:sum[dtype=f32]'], last).errors;
  expect(errors('elementwise/add_f64_4', 'elementwise/add_f32_4')).toBe('');
  expect(errors('elementwise/add_f32_4', 'elementwise/add_f64_4')).toMatchInlineSnapshot(`
    "suites/merged.yaml:8:9: cases[0].together[0]: not what is at place 1 of together/all
        expected: elementwise/add_f32_4
        got: elementwise/add_f64_4
        help: bring these cases and the members of together/all (tools/programs/catalogue/together.py) into one order"
  `);
  expect(errors('elementwise/add_f64_4')).toMatch(/merged.yaml:9:9: .*\n {4}expected: nothing\n/);
  expect(errors('elementwise/add_f64_4', 'elementwise/add_f32_4', 'a/b')).toMatch(
    /:8:7: .* 3 .*\n {4}expected: a\/b\n/,
  );
});

test('the suites of the cases are read too', () => {
  const root = mkdtempSync(join(tmpdir(), 'pjrt-together-'));
  try {
    const file = join(root, 'suites', 'a', 'merged.yaml');
    mkdirSync(join(root, 'suites', 'a'), { recursive: true });
    writeFileSync(file, textOf('sample:sum[dtype=f32]', 'a/merged:all').replace('merged', 'a/merged'));
    writeFileSync(join(root, 'suites', 'sample.yaml'), PARTS.replaceAll('BUF-HOST-005', 'BUF-HOST-002'));
    const read = (path: string) => readSuites([path]).problems.map(({ message }) => message);
    // No case can run itself.
    expect(read(file)).toEqual(['no case "a/merged:all"']);
    writeFileSync(file, textOf('sample:sum[dtype=f32]').replace('merged', 'a/merged'));
    expect(readSuites([file]).cases.map(({ id }) => id)).toEqual(['a/merged:all']);
  } finally {
    rmSync(root, { recursive: true });
  }
});
