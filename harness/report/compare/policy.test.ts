import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { packagePath } from '../../base/paths.ts';
import { SuiteError } from '../../suite/problem.ts';
import { CHANGE_KINDS, CHANGES } from './change.ts';
import { DEFAULT_POLICY, defaultPolicyYaml, parsePolicy } from './policy.ts';

const fault = (text: string): string => {
  try {
    parsePolicy(text, 'gate.yaml');
  } catch (error) {
    expect(error).toBeInstanceOf(SuiteError);
    return (error as Error).message;
  }
  throw new Error('no fault was found');
};

test('the printed default policy reads back as the default policy', () => {
  expect(parsePolicy(defaultPolicyYaml(), 'gate.yaml')).toEqual(DEFAULT_POLICY);
});

test.each(['', '# nothing yet\n', '{}'])('%j changes nothing', (text) => {
  expect(parsePolicy(text, 'gate.yaml')).toEqual(DEFAULT_POLICY);
});

test('a file only holds what differs from the default', () => {
  const policy = parsePolicy(
    `
changes: { slowdown: fail, new-warning: fail }
thresholds: { slowdown: { ratio: 1.2, minimum-cases: 20 }, ulp-drift: { ulp: 8 } }
exceptions: [{ match: 'numerics/*', changes: [ulp-drift], action: warn, reason: faster exponential }]
`,
    'gate.yaml',
  );
  expect(policy.actions).toEqual({ ...DEFAULT_POLICY.actions, slowdown: 'fail', 'new-warning': 'fail' });
  expect(policy.thresholds.slowdown).toEqual({
    ...DEFAULT_POLICY.thresholds.slowdown,
    ratio: 1.2,
    'minimum-cases': 20,
  });
  expect(policy.thresholds['ulp-drift']).toEqual({ ulp: 8 });
  expect(policy.exceptions).toEqual([
    { match: 'numerics/*', changes: ['ulp-drift'], action: 'warn', reason: 'faster exponential' },
  ]);
});

describe('errors are reported with their location', () => {
  test.each<[string, string, string[]]>([
    [
      'a kind that there is none of',
      'changes:\n  new-failures: warn\n',
      ['gate.yaml:2:3', 'unknown key "new-failures"', 'did you mean "new-failure"?'],
    ],
    ['an action', 'changes:\n  slowdown: error\n', ['gate.yaml:2:13', 'unknown value', 'one of fail, warn, ignore']],
    ['a threshold', 'thresholds:\n  slowdown: { ratio: fast }\n', ['gate.yaml:2:22', 'wrong type', 'a number']],
    ['a threshold out of range', 'thresholds: { slowdown: { ratio: 0.5 } }', ['gate.yaml:1:34', 'must be > 1']],
    [
      'an exception without a reason',
      "exceptions:\n  - { match: 'a*', action: warn }\n",
      ['gate.yaml:2:5', 'missing key "reason"'],
    ],
    ['no YAML', 'changes: [', ['gate.yaml:1:', 'not valid YAML']],
    ['no mapping', '- fail', ['gate.yaml:1:1', 'wrong type', 'a mapping']],
  ])('%s', (_, text, words) => {
    const message = fault(text);
    for (const word of words) expect(message).toContain(word);
  });
});

test('the schema has every kind of change with its default', () => {
  const schema = JSON.parse(readFileSync(packagePath('schemas', 'gate-policy.schema.json'), 'utf8')) as {
    properties: { changes: { properties: Record<string, { description: string }> } };
    $defs: { exception: { properties: { changes: { items: { enum: string[] } } } } };
  };
  const { properties } = schema.properties.changes;
  expect(Object.keys(properties)).toEqual(CHANGE_KINDS);
  expect(schema.$defs.exception.properties.changes.items.enum).toEqual(CHANGE_KINDS);
  for (const kind of CHANGE_KINDS) {
    const { action, description } = CHANGES[kind];
    const [first = '', ...rest] = description;
    expect(properties[kind]!.description).toBe(`${first.toUpperCase()}${rest.join('')}. Default: ${action}.`);
  }
});
