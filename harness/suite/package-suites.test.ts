import { expect, test } from 'vitest';
import { packageSuites } from '../run/suites/package-suites.ts';
import { stepsOf } from './sample-case.test-helper.ts';
import type { Case } from './types.ts';

const { suites, cases } = packageSuites();

/** One case of each family. */
const families = new Map(cases.map((one): [string, Case] => [`${one.suite}:${one.name}`, one]));

test('every description makes sense on its own', () => {
  const elsewhere = /the other cases|of this suite|the same (?:for|as above)/i;
  const texts = [
    ...suites.map(({ id, description }) => [id, description] as const),
    ...[...families].map(([id, { title }]) => [id, title] as const),
  ];
  expect(texts.filter(([, text]) => elsewhere.test(text))).toEqual([]);
});

/** Probes that go through a table of the specification: one is enough for families without number. */
const OF_TABLES = ['op-forms', 'every-way'];

test('at most 18 % of the families contain a probe', () => {
  const withProbe = [...families].filter(([, one]) =>
    stepsOf(one).some((step) => step.verb === 'probe' && !OF_TABLES.includes(step.name)),
  );
  expect(withProbe.length, withProbe.map(([id]) => id).join('\n')).toBeLessThanOrEqual(0.18 * families.size);
});
