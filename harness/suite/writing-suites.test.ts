import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { packagePath } from '../base/paths.ts';
import { loadSets, readSuite, readSuites } from './load.ts';
import { parseYaml } from './located-yaml.ts';
import { formatProblem } from './problem.ts';
import { DATA_KINDS, VERBS } from './raw.ts';
import { loadRequirements } from './requirements.ts';
import { checkSchema, validator } from './schema-check.ts';

const read = (page: string): string => readFileSync(packagePath('docs', page), 'utf8');
const reference = read('suite-language.md');
const blocks = [read('writing-suites.md'), reference].flatMap((page) =>
  [...page.matchAll(/^( *)```yaml\n(.*?)^ *```$/gms)].map(([, indent, text]) =>
    text!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  ),
);
const suite = (text: string): string[] => {
  const casesOf = (id: string) => readSuites([packagePath('suites', `${id}.yaml`)]).cases;
  const source = { file: 'page', requirements: loadRequirements(), sets: loadSets(), vocabulary: {}, casesOf };
  return readSuite(text, source).problems.map(formatProblem);
};

test('the examples are valid', () => {
  const suites = blocks.filter((text) => text.startsWith('suite:'));
  const cases = blocks.filter((text) => /^ *- id:/.test(text));
  expect([suites.length, cases.length]).toEqual([3, 2]);
  for (const text of suites) expect(suite(text)).toEqual([]);
  for (const text of cases) expect(suite(`suite: page\ndescription: A sample.\ncases:\n${text}`)).toEqual([]);
});

test('so are the examples of steps', () => {
  const verbOf = (text: string) => new RegExp(`^- (${VERBS.join('|')}):`).exec(text)?.[1];
  const steps = blocks.filter((text) => verbOf(text) !== undefined);
  expect(new Set(steps.map(verbOf))).toEqual(new Set(VERBS));
  for (const text of steps) {
    const document = parseYaml(text, 'page');
    expect(document.problems).toEqual([]);
    for (const [i, step] of (document.value as unknown[]).entries()) {
      expect(checkSchema(validator('suite.schema.json', '/$defs/step'), document, [i], step), text).toEqual([]);
    }
  }
});

test('the reference has every verb, and every kind of data, predicate and key is described', () => {
  type Schema = { properties?: Record<string, Schema>; description?: string; $ref?: string };
  const { $defs, ...root } = JSON.parse(readFileSync(packagePath('schemas', 'suite.schema.json'), 'utf8')) as Schema & {
    $defs: Record<string, Schema>;
  };
  for (const verb of VERBS) expect(reference).toContain(`### Step ${verb}`);
  expect(Object.keys($defs.data!.properties!)).toEqual(DATA_KINDS);
  const described = (schema: Schema): boolean =>
    schema.description !== undefined || (schema.$ref !== undefined && described(resolve(schema.$ref)));
  const resolve = (reference: string): Schema =>
    reference
      .split('/')
      .slice(1)
      .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], { $defs }) as Schema;
  const visit = (schema: unknown, path: string): void => {
    if (typeof schema !== 'object' || schema === null) return;
    for (const [key, value] of Object.entries(schema)) {
      if (key === 'properties')
        for (const [name, own] of Object.entries(value)) expect(described(own as Schema), `${path}/${name}`).toBe(true);
      visit(value, `${path}/${key}`);
    }
  };
  visit({ ...root, $defs }, '');
});
