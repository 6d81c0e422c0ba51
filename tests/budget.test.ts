import { beforeAll, expect, test } from 'vitest';
import { cli } from './support/cli.ts';
import { buildHostile } from './support/hostile.ts';

/** `--budget`: what there is no time for is skipped and counted, and never a failure. */

let toy: string;
let hanging: string;
beforeAll(async () => {
  toy = await buildHostile('toy');
  hanging = await buildHostile('hang-in-compile');
}, 600_000);

const run = (plugin: string, ...args: string[]) =>
  cli(['run', '--plugin', plugin, '--output', 'out', '--workers', '1', ...args]);
const casesOf = ({ report }: Awaited<ReturnType<typeof run>>) => report.suites.flatMap(({ cases }) => cases);

test('without time for any case nothing is proven, and the reason is said', async () => {
  const ended = await run(toy, '--suite', 'client/lookup', '--budget', '1ms');
  expect(ended.exitCode).toBe(5);
  const cases = casesOf(ended);
  expect(cases.map(({ status, reason }) => [status, reason])).toEqual(
    cases.map(() => ['skip', 'left out: 1ms were spent (--budget)']),
  );
  expect(ended.report.notes.find(({ fact }) => fact?.kind === 'budget')).toMatchObject({
    level: 'info',
    fact: { kind: 'budget', cases: cases.length },
  });
});

test('with time for all of them a run is as without a budget', async () => {
  const ended = await run(toy, '--suite', 'client/lookup', '--budget', '60m');
  expect(ended.exitCode).toBe(0);
  expect(casesOf(ended).every(({ status }) => status !== 'skip')).toBe(true);
  expect(ended.stdout).not.toContain('budget');
});

test('a case that hangs is given up with the budget: it is not known to fail, and what ran counts', async () => {
  const tests = [
    '--tests',
    'client/lookup:by-local-hardware-id',
    '--tests',
    'core/offered:function[function=PJRT_Client_Compile]',
  ];
  const ended = await run(hanging, ...tests, '--timeout', 'case=10m,call=10m,first=10m', '--budget', '20s');
  expect(ended.exitCode, ended.stdout).toBe(0);
  const cases = casesOf(ended);
  expect(cases.find(({ id }) => id === 'client/lookup:by-local-hardware-id')).toMatchObject({ status: 'pass' });
  const open = cases.filter(({ reason }) => reason === 'left out: 20s were spent (--budget)');
  expect(open.length).toBeGreaterThan(0);
  expect(ended.stdout).toContain(`${cases.length - open.length} of ${cases.length} cases within the budget`);
});
