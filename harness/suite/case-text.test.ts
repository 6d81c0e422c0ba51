import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { packageSuites } from '../run/suites/package-suites.ts';
import { caseText } from './case-text.ts';
import { parseYaml } from './located-yaml.ts';

const SUITE = `suite: a/b
cases:
  # About the first.
  - id: first
    steps:
      - compile:
          text: |
            func.func @main()

            return

      - expect: 1
  # About the second.
  - id: second
    steps: []
`;

test('a case ends before what follows it, with the blank lines of its texts', () => {
  expect(caseText(SUITE, 4)).toBe(
    '- id: first\n  steps:\n    - compile:\n        text: |\n          func.func @main()\n\n          return\n\n    - expect: 1',
  );
  expect(caseText(SUITE, 14)).toBe('- id: second\n  steps: []');
  expect(caseText(SUITE.replaceAll('\n', '\r\n'), 14)).toBe('- id: second\n  steps: []');
});

test('where no case begins there is none', () => {
  expect([1, 3, 5, 99, 0].map((line) => caseText(SUITE, line))).toEqual(new Array(5).fill(undefined));
  expect(caseText('cases: [{id: a}]', 1)).toBeUndefined();
});

test('the text of every case of the package is that case', () => {
  const { suites } = packageSuites();
  for (const { file, cases } of suites) {
    const text = readFileSync(file, 'utf8');
    const places = new Map(cases.map(({ line, name }) => [line, name]));
    for (const [line, name] of places) {
      const { value, problems } = parseYaml(caseText(text, line)!, file);
      expect(problems).toEqual([]);
      expect((value as { id: string }[])[0]!.id).toBe(name);
    }
  }
});
