import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonReport } from '../harness/report/index.ts';
import { buildFaults } from '../tools/mutation/library.ts';
import { resolveHere } from '../tools/resolve-here.ts';
import { cli } from './support/cli.ts';

/** What an earlier case leaves in its process is reported of the two cases, and no other fails for it. */

let library: string;
let reference: string;
let directory: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-only-after-'));
  library = await buildFaults();
  reference = (await resolveHere('reference')).library;
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Runs suites with a fault in one worker. */
async function run(fault: string, suites: readonly string[], more: readonly string[] = []) {
  const args = ['run', '--plugin', library, '--workers', '1', '--output', fault, ...more];
  const ended = await cli([...args, ...suites.flatMap((suite) => ['--suite', suite])], {
    cwd: directory,
    env: { PJRT_FAULTS_BASE: reference, PJRT_FAULT: fault },
  });
  const report = JSON.parse(readFileSync(join(directory, fault, 'report.json'), 'utf8')) as JsonReport;
  const failed = report.suites
    .flatMap(({ cases }) => cases)
    .filter(({ status }) => !['pass', 'unsupported', 'skip'].includes(status));
  return { ...ended, report, failed };
}

const QUERIES = 'executables/queries';

/** Faults, the suites that are run, and the cases that do what the fault takes amiss. */
const POISONS: readonly [fault: string, suites: string[], culprits: RegExp][] = [
  ['profiler_session', ['aftermath/bystanders', 'execute/basics'], /profiler/],
  ['failed_compilation', ['compile', QUERIES], /^compile/],
  ['failed_lookup', ['client/lookup', 'client/queries', 'devices/memory-stats'], /^client/],
  ['donation', ['donation/donation', 'serialization/executables'], /donat/],
  ['strided_array', ['buffers/host-strides', 'buffers/read-back', 'execute/basics'], /strides/],
  ['error_buffer', ['buffers/special-buffers', 'devices', 'events/created'], /^buffers/],
  ['ended_client', ['client', 'topology/client-topology'], /^client/],
  ['device_assignment', ['client/device-assignment', QUERIES], /^client/],
  ['external_reference', ['buffers/references', 'execute/basics', QUERIES], /^buffers/],
  ['event_of_the_caller', ['events', 'topology/create', 'topology/client-topology'], /^events/],
  ['uninitialized_buffer', ['buffers/special-buffers', 'execute/basics', QUERIES], /^buffers/],
  ['copy_to_memory', ['buffers/copies', 'devices', 'executables/lifecycle'], /^buffers/],
  ['deleted_executable', ['executables/lifecycle', 'execute/basics'], /^executables/],
  ['copy_to_device', ['buffers/copies', 'devices', 'execute/basics'], /^buffers/],
  ['loading', ['aftermath/loaded', QUERIES], /^aftermath/],
];

describe('a fault that shows only in a later case', () => {
  test.each(POISONS)('poisoned-by-%s', async (name, suites, culprits) => {
    const { failed, stdout } = await run(`poisoned-by-${name}`, suites, ['--timeout', 'call=3s']);
    expect(failed.length, stdout).toBeGreaterThan(0);
    for (const { id, status, after } of failed) {
      expect({ id, status, after }).toMatchObject({ after: { cases: [expect.stringMatching(culprits)] } });
      expect(stdout).toContain(`only after ${after!.cases[0]}`);
    }
  });

  test('that needs two earlier ones: both are named', async () => {
    const { failed, stdout } = await run('poisoned-by-two_things_together', ['compile', 'events/created', QUERIES]);
    expect(failed.length, stdout).toBeGreaterThan(0);
    for (const { after } of failed)
      expect(after).toEqual({ cases: [expect.stringMatching(/^compile/), expect.stringMatching(/^events/)] });
  });
});

test('the command of the report repeats it, and that of the case alone passes', async () => {
  const { failed, stdout } = await run('poisoned-by-failed_lookup', ['client/lookup', 'devices/memory-stats']);
  const [{ id, reproduce, after }] = failed as [(typeof failed)[0]];
  expect(reproduce).toContain(`--tests ${after!.cases[0]} `);
  const words = (command: string): string[] => [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, a, b]) => (a ?? b)!);
  const env = { PJRT_FAULTS_BASE: reference, PJRT_FAULT: 'poisoned-by-failed_lookup' };
  const again = await cli([...words(reproduce!).slice(2), '--output', 'again'], { cwd: directory, env });
  expect(again.stdout).toContain(`${id}: fails only after ${after!.cases[0]}`);
  const [, alone] = /alone it passes: (.*)/.exec(stdout)!;
  const passing = await cli([...words(alone!).slice(2), '--output', 'alone'], { cwd: directory, env });
  expect(passing.exitCode, passing.stdout).toBe(0);
});
