import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatProblem } from './problem.ts';
import { readSample } from './sample-suite.test-helper.ts';

const SUITE = `suite: sample
description: Bytes that go to the device come back unchanged.
defaults: {tags: [smoke], deadline: {case: 1000}}
sets: {own: [f32, f64]}
cases:
  - id: round-trip
    description: Data comes back.
    covers: [BUF-HOST-002, BUF-HOST-005]
    matrix: {dtype: [$own, s8], shape: [[], [2, 3]]}
    exclude: [{dtype: s8, shape: []}]
    requires: {dtypes: [$dtype]}
    steps:
      - put: {as: x, data: {iota: {dtype: $dtype, shape: $shape}}}
      - get: {buffer: $x, as: y}
      - expect: {actual: $y, equals: $x, compare: {ulp: 1, source: "exact"}}
  - id: lookup
    description: It is an error.
    covers: [CLI-LKP-002]
    steps:
      - call: PJRT_Client_LookupDevice
        with: {client: $client, id: -1}
        error: {must: any, should: INVALID_ARGUMENT}
        untouched: [device]
  - id: sum
    description: It adds.
    covers: [BUF-HOST-002]
    usual: {range: 4}
    rows: [{size: 1}, {size: 2, range: 9}]
    unnamed: [range]
    steps:
      - run: elementwise/add_f32_4
        with: {a: {hash: {dtype: f32, shape: ["$size"], range: $range}}, b: $a}
        gives: {sum: {oracle: {op: add, of: [$a, $a]}}}
        compare: {zero: unsigned}
        level: should
        refusable: sums
`;

/** For any text: problems with locations, or cases, and never an exception. */
function survives(text: string): void {
  const { cases, errors } = readSample(text);
  if (errors === '') expect(cases.length).toBeGreaterThan(0);
  else expect(errors).toMatch(/^suites\/sample\.yaml/);
}

test('the unchanged suite is valid', () => {
  expect(readSample(SUITE).errors).toBe('');
  expect(readSample(SUITE).cases).toHaveLength(8);
});

test('characters are replaced, inserted and removed', () => {
  const edit = fc.record({
    at: fc.nat(SUITE.length),
    remove: fc.nat(12),
    insert: fc.oneof(
      fc.string({ maxLength: 4 }),
      fc.constantFrom(
        '{',
        '[',
        ']',
        '}',
        ': ',
        '- ',
        '$',
        '${',
        '"',
        '&a ',
        '*a',
        '!',
        '\t',
        '\n',
        '.nan',
        'null',
        '__proto__: 1',
        '<<: ',
        '? ',
      ),
    ),
  });
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), (edits) => {
      let text = SUITE;
      for (const { at, remove, insert } of edits) text = text.slice(0, at) + insert + text.slice(at + remove);
      survives(text);
    }),
    { numRuns: 400 },
  );
});

test('values are replaced by values of any type', () => {
  const tokens = [...SUITE.matchAll(/(?<=[:[,{] ?)[^\s:,[\]{}]+/g)].map((match) => ({
    at: match.index,
    length: match[0].length,
  }));
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }).map((v) => JSON.stringify(v)),
    fc.constantFrom('$x', '$dtype', '"$devices[0]"', '${dtype}', '~', '1e5', 'true'),
  );
  fc.assert(
    fc.property(fc.constantFrom(...tokens), value, ({ at, length }, replacement) => {
      survives(SUITE.slice(0, at) + replacement + SUITE.slice(at + length));
    }),
    { numRuns: 400 },
  );
});

test('lines are dropped, doubled and moved', () => {
  const lines = SUITE.split('\n');
  fc.assert(
    fc.property(fc.array(fc.nat(lines.length - 1), { maxLength: lines.length + 5 }), (order) => {
      survives(order.map((i) => lines[i]).join('\n'));
    }),
    { numRuns: 200 },
  );
});

test('any text', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), survives), { numRuns: 300 });
});

test('absurd nesting', () => {
  for (const depth of [100, 20_000]) {
    survives(`a: ${'['.repeat(depth)}`);
    survives(`a: ${'['.repeat(depth)}${']'.repeat(depth)}`);
    survives('- '.repeat(depth));
  }
});

test('every problem can be printed', () => {
  expect(formatProblem({ file: 'a.yaml', path: '', message: 'wrong' })).toBe('a.yaml: wrong');
  expect(formatProblem({ file: 'a.yaml', path: 'suite', message: 'wrong', got: 'a\r\nb' })).toBe(
    'a.yaml: suite: wrong\n    got: a\\r\\nb',
  );
  const torn = { file: 'a\nb.yaml', path: 'su\nite', message: 'wr\nong', expected: 'c\nd', help: 'e\nf' };
  expect(formatProblem(torn)).toBe('a\\nb.yaml: su\\nite: wr\\nong\n    expected: c\\nd\n    help: e\\nf');
});
