import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { packagePath } from '../../base/paths.ts';
import { loadSets, readSuites } from '../../suite/load.ts';
import { FRAMEWORKS, loadFramework } from './load.ts';
import type { Framework } from './types.ts';

interface Core {
  functions: string[];
  except: Record<string, string>;
  and: Record<string, string>;
  everyday: { functions: string[] };
}

const core = JSON.parse(readFileSync(packagePath('frameworks', 'core.json'), 'utf8')) as Core;
/** Those that use XLA's client of the C API; others call less, and nothing with the same means. */
const frameworks = FRAMEWORKS.filter((name) => name !== 'gopjrt' && name !== 'zml').map(loadFramework);

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

test('what may not be NULL is what everyday work calls, and what errors are read with', () => {
  const everyday = new Set(loadFramework('jax').core.flatMap(({ functions }) => functions));
  const called = (name: string): boolean =>
    frameworks.some((f) => f.functions[name] !== undefined && !f.functions[name].at(-1)!.gate);
  const errors = ['Error_Destroy', 'Error_ForEachPayload', 'Error_Message'];
  const derived = new Set([...[...everyday].filter(called), ...core.functions, ...errors]);
  expect(core.everyday.functions).toEqual([...derived].sort());
  const slots = readSuites([packagePath('suites', 'load')])
    .suites.flatMap(({ cases }) => cases)
    .find(({ id }) => id === 'load/table:slots')!;
  expect(slots.steps[0]).toMatchObject({ with: { everyday: core.everyday.functions.map((name) => `PJRT_${name}`) } });
});
