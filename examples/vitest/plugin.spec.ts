import { type CaseRun, run } from 'pjrt-conformance';
import { expect, test } from 'vitest';

// The suites run once. Each suite is then a test whose message lists the cases that failed.
const { run: log, verdict } = await run({
  plugin: process.env.PJRT_PLUGIN ?? './pjrt-plugin-foo.so',
  suite: ['load', 'client'],
  output: 'reports/vitest',
});

test('the plugin conforms', () => expect(verdict).toMatchObject({ exitCode: 0 }));

test.each(log.suites.map(({ suite, cases }) => [suite, cases] as const))('%s', (_, cases) => {
  const failed = ({ result }: CaseRun) =>
    ['fail', 'crash', 'timeout', 'flaky', 'error'].includes(result?.status ?? 'notrun');
  expect(cases.filter(failed).map(({ plan, result }) => [plan.id, result?.findings[0]?.message])).toEqual([]);
});
