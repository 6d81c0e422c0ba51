import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { packagePath } from '../paths.ts';
import { loadSets } from '../suite/load.ts';
import { FRAMEWORKS, loadFramework } from './load.ts';
import type { Framework } from './types.ts';

interface Core {
  functions: string[];
  except: Record<string, string>;
  and: Record<string, string>;
}

const core = JSON.parse(readFileSync(packagePath('frameworks', 'core.json'), 'utf8')) as Core;
const frameworks = FRAMEWORKS.map(loadFramework);

/** Releases so old that their watched workload ended before most functions were reached. */
const SHORT_WORKLOADS = ['0.4.30', '0.4.35'];
const WATCHED_SINCE = 67;

/** Whether the framework's newest release calls the function without a gate and cannot go on when it fails. */
function needs(framework: Framework, name: string): boolean {
  const use = framework.functions[name]?.at(-1);
  return use !== undefined && !use.gate && (use.onError === 'abort' || use.onError === 'error');
}

const goesOnWithout = (framework: Framework, name: string): boolean =>
  framework.faults.some(
    ({ release, answer, harmless }) =>
      answer === 'UNIMPLEMENTED' && !SHORT_WORKLOADS.includes(release) && harmless.includes(name),
  );

test('the core list is what the frameworks say, but for what it gives a reason for', () => {
  const workloads = loadFramework('jax')
    .core.filter(({ minor }) => minor >= WATCHED_SINCE)
    .map(({ functions }) => functions);
  const everyday = workloads[0]!.filter((name) => workloads.every((functions) => functions.includes(name)));
  const derived = everyday.filter(
    (name) => frameworks.every((f) => needs(f, name)) && !frameworks.some((f) => goesOnWithout(f, name)),
  );
  expect(derived).toEqual(expect.arrayContaining(Object.keys(core.except)));
  const listed = [...derived.filter((name) => !(name in core.except)), ...Object.keys(core.and)];
  expect([...core.functions].sort()).toEqual(listed.sort());
});

test('the suites demand exactly the core list', () => {
  expect(loadSets().get('functions.core')).toEqual(core.functions.map((name) => `PJRT_${name}`));
});
