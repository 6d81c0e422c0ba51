import { expect, test } from 'vitest';
import { parseYaml } from './located-yaml.ts';
import { withStepsAround } from './steps-around.ts';

const document = withStepsAround(
  parseYaml(
    `suite: a/b
defaults:
  first:
    - {repeat: 1}
  last:
    - {repeat: 3}
cases:
  - id: one
    steps:
      - {repeat: 2}
  - id: together
    together: [a]
`,
    'suite.yaml',
  ),
);

test('puts the steps of the defaults around those of each case that has any', () => {
  const { cases } = document.value as { cases: { steps?: { repeat: number }[] }[] };
  expect(cases[0]!.steps!.map(({ repeat }) => repeat)).toEqual([1, 2, 3]);
  expect(cases[1]!.steps).toBeUndefined();
});

test('says where each of them stands', () => {
  const lines = [0, 1, 2].map((i) => document.at(['cases', 0, 'steps', i, 'repeat']).line);
  expect(lines).toEqual([4, 10, 6]);
  expect(document.problem(['cases', 0, 'steps', 2], 'wrong').path).toBe('defaults.last[0]');
  expect(document.at(['cases', 1]).line).toBe(11);
});

test('leaves a suite without such steps, or that is none, as it is', () => {
  const other = parseYaml('cases: 3', 'suite.yaml');
  expect(withStepsAround(other)).toBe(other);
});
