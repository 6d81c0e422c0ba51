import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packagePath } from '../../base/paths.ts';
import { packageSuites } from '../../run/suites/package-suites.ts';
import { stepsOf } from '../../suite/sample-case.test-helper.ts';

const DIRECTORY = packagePath('harness/worker/probes');
const read = (file: string): string => readFileSync(join(DIRECTORY, file), 'utf8');

/** The file of each probe. */
const FILES = new Map(
  [...read('registry.generated.ts').matchAll(/^ {2}'?([\w-]+)'?: \(\) => import\('(.*)'\)/gm)].map(([, name, file]) => [
    name!,
    file!,
  ]),
);

/** Ids of requirements that a file speaks of in its code; comments may speak of others. */
const requirementsIn = (file: string): Set<string> =>
  new Set([...read(file).matchAll(/'([A-Z][A-Z0-9]{1,4}(?:-[A-Z0-9]+)*-\d{3})'/g)].map(([, id]) => id!));

test('what a probe says is violated is covered by a case that uses it', () => {
  const { cases } = packageSuites();
  const covered = new Map<string, Set<string>>();
  for (const one of cases) {
    for (const step of stepsOf(one)) {
      const file = step.verb === 'probe' ? FILES.get(step.name) : undefined;
      if (file === undefined) continue;
      const ids = covered.get(file) ?? new Set();
      covered.set(file, ids);
      for (const id of one.covers) ids.add(id);
    }
  }
  expect(covered.size).toBeGreaterThan(80);
  const remedies = [...new Set(FILES.values())].flatMap((file) => {
    const missing = [...requirementsIn(file)].filter((id) => !covered.get(file)?.has(id));
    return missing.length === 0 ? [] : `${file}: add ${missing.join(', ')} to \`covers\` of a case that uses its probe`;
  });
  expect(remedies).toEqual([]);
});

/** Probes of cases that are made from files of the user. */
const COLLECTED = ['replay'];

test('every probe is used', () => {
  const { cases } = packageSuites();
  const used = new Set([
    ...COLLECTED,
    ...cases.flatMap((one) => stepsOf(one).flatMap((step) => (step.verb === 'probe' ? step.name : []))),
  ]);
  const remedies = [...FILES].flatMap(([name, file]) =>
    used.has(name) ? [] : `${file}: delete the probe ${name}, or write a case with it`,
  );
  expect(remedies).toEqual([]);
});
