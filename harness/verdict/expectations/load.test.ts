import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SuiteError } from '../../suite/problem.ts';
import { parseExpectations, readExpectations } from './load.ts';

const FILE = `# yaml-language-server: $schema=./node_modules/pjrt-conformance/schemas/expectations.schema.json
when: { plugin: foo }
expectations:
  - cases: buffers/a:one
    expect: fail
    reason: the driver is old
  - cases: ['errors/*', 'client/b:two[x=1]']
    expect: [crash, flaky]
    reason: >
      over
      two lines
    requirements: [BUF-HOST-024]
    issue: https://example.com/1
    owner: runtime
    expires: 2026-12-31
    when: { apiMinor: { min: 60, max: 90 }, sha256: 0123abcd }
`;

test('a file is read with the line of each entry', () => {
  const { file, sha256, entries } = parseExpectations(FILE.replace('0123abcd', "'0123abcd'"), 'e.yaml');
  expect([file, sha256]).toEqual(['e.yaml', expect.stringMatching(/^[0-9a-f]{64}$/)]);
  expect(entries).toEqual([
    {
      file: 'e.yaml',
      line: 4,
      cases: ['buffers/a:one'],
      expect: ['fail'],
      reason: 'the driver is old',
      requirements: [],
      when: [{ plugin: 'foo' }],
    },
    {
      file: 'e.yaml',
      line: 7,
      cases: ['errors/*', 'client/b:two[x=1]'],
      expect: ['crash', 'flaky'],
      reason: 'over two lines',
      requirements: ['BUF-HOST-024'],
      issue: 'https://example.com/1',
      owner: 'runtime',
      expires: '2026-12-31',
      when: [{ plugin: 'foo' }, { apiMinor: { min: 60, max: 90 }, sha256: '0123abcd' }],
    },
  ]);
});

/** A file with one entry, with some lines replaced. */
const entry = (...lines: string[]): string =>
  [
    'expectations:',
    '  - cases: a:b',
    ...['expect: fail', 'reason: why']
      .filter((line) => !lines.some((l) => l.startsWith(line.slice(0, 6))))
      .map((line) => `    ${line}`),
    ...lines.map((line) => `    ${line}`),
  ].join('\n');

test.each<[string, string, string]>([
  [
    'no reason',
    'expectations:\n  - cases: a:b\n    expect: fail',
    'e.yaml:2:5: expectations[0]: missing key "reason"\n    expected: why',
  ],
  ['an empty reason', entry("reason: ' '"), 'expectations[0].reason: empty text\n    expected: why it is expected'],
  [
    'a status that there is none of',
    entry('expect: fial'),
    'e.yaml:4:13: expectations[0].expect: unknown value\n    expected: one of fail, crash',
  ],
  ['a status that cannot be expected', entry('expect: [fail, error]'), 'expectations[0].expect[1]: unknown value'],
  ['a glob without measure', entry(`when: { host: '${'*a'.repeat(5000)}' }`), 'expectations[0].when.host: too long'],
  ['no status', entry('expect: []'), 'expectations[0].expect: empty list'],
  ['a misspelt key', entry('expire: 2026-01-01'), 'e.yaml:5:5: expectations[0]: unknown key "expire"'],
  [
    'a day of another form',
    entry('expires: 31.12.2026'),
    'expectations[0].expires: wrong form\n    expected: a day, YYYY-MM-DD\n    got: "31.12.2026"',
  ],
  ['a day that there is none of', entry('expires: 2026-02-30'), 'e.yaml:5:14: expectations[0].expires: no such date'],
  ['no link', entry('issue: FOO-12'), 'expectations[0].issue: wrong form\n    expected: a link to the issue'],
  [
    'a requirement that there is none of',
    entry('requirements: [BUF-HOST-0024]'),
    'there is no requirement "BUF-HOST-0024"\n    help: did you mean "BUF-HOST-',
  ],
  [
    'a range the wrong way round',
    entry('when: { apiMinor: { min: 9, max: 8 } }'),
    'expectations[0].when.apiMinor: the range is empty\n    expected: min at most max\n    got: 9 to 8',
  ],
  [
    'a version in place of a range',
    entry('when: { apiMinor: 0.9 }'),
    'expectations[0].when.apiMinor: wrong type\n    expected: a mapping',
  ],
  [
    'a number as sha256',
    entry('when: { sha256: 12345678 }'),
    'expectations[0].when.sha256: wrong type\n    expected: the sha256 of the plugin',
  ],
  ['a condition that there is none of', entry('when: { platform: foo }'), 'unknown key "platform"'],
  ['no list', 'expectations: {}', 'e.yaml:1:15: expectations: wrong type\n    expected: a list'],
  ['nothing', '', 'e.yaml:1:1: wrong type'],
  ['no YAML', 'expectations: [', 'e.yaml:1:16: not valid YAML'],
  ['an anchor', entry('owner: &x y'), 'YAML anchors and aliases are not part of the language'],
])('%s is one clear error', (_, text, message) => {
  expect(() => parseExpectations(text, 'e.yaml')).toThrow(SuiteError);
  expect(() => parseExpectations(text, 'e.yaml')).toThrow(message);
});

test('a missing file: the error says how to create one', () => {
  expect(() => readExpectations('/nowhere/e.yaml', 'e.yaml')).toThrow(
    /^e\.yaml: cannot be read: there is no such file\n {4}help: --update-expectations creates it from a run$/,
  );
});

test('a directory is not a file', () => {
  expect(() => readExpectations('/', 'e.yaml')).toThrow(/^e\.yaml: cannot be read: it is a directory, not a file/);
});

test('any file is either read or rejected with located errors', () => {
  const scalar = fc.constantFrom(
    'fail',
    'a:b',
    '2026-01-01',
    '"',
    '[',
    '{',
    '~',
    '5',
    '-',
    '&a',
    '*a',
    '!!x',
    "''",
    '\t',
  );
  const key = fc.constantFrom(
    'cases',
    'expect',
    'reason',
    'expires',
    'when',
    'issue',
    'requirements',
    'apiMinor',
    '<<',
    '?',
  );
  const line = fc
    .tuple(fc.constantFrom('', '  ', '  - ', '    ', '      '), key, scalar)
    .map(([indent, k, v]) => `${indent}${k}: ${v}`);
  const text = fc.array(line, { maxLength: 12 }).map((lines) => ['expectations:', ...lines].join('\n'));
  fc.assert(
    fc.property(fc.oneof(text, fc.string({ unit: 'binary' })), (source) => {
      try {
        parseExpectations(source, 'e.yaml');
      } catch (error) {
        if (!(error instanceof SuiteError)) throw error;
        expect(error.message).toMatch(/^e\.yaml:\d+:\d+: /);
      }
    }),
    { numRuns: 1500 },
  );
});
