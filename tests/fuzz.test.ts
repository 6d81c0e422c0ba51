import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { State } from '../harness/commands/fuzz/campaign.ts';
import { buildFaults } from '../tools/mutation/library.ts';
import { cli } from './support/cli.ts';
import { referenceLibrary } from './support/reference.ts';

let directory: string;
let reference: string;
let faults: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-fuzz-test-'));
  reference = await referenceLibrary();
  faults = await buildFaults();
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const fuzz = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  cli(['fuzz', '--oracle', 'reference', ...args], { cwd: directory, env });

const stateOf = (output: string): State =>
  JSON.parse(readFileSync(join(directory, output, 'state.json'), 'utf8')) as State;

test('programs are valid, and their results are within what is known of them', async () => {
  const run = await fuzz(['--plugin', 'reference', '--count', '120', '--output', 'valid']);
  expect(run.stdout).toContain('120 programs compared, 0 findings in 0 programs');
  expect(run.exitCode).toBe(0);
  expect(stateOf('valid')).toMatchObject({ agreed: 120, refused: {}, findings: [] });
});

test.each([
  ['numerics-exponential-approximated', 'exponential', '1'],
  ['numerics-wide-integers-truncated', undefined, '1'],
])('%s is found, shrunk and written as a suite that detects it', async (fault, op, seed) => {
  const env = { PJRT_FAULTS_BASE: reference, PJRT_FAULT: fault };
  const args = ['--plugin', faults, '--seed', seed, '--count', '500', '--max-findings', '1', '--output', fault];
  const run = await fuzz(args, env);
  expect(run.exitCode, run.stdout).toBe(1);
  const [finding] = stateOf(fault).findings;
  expect(finding!.ops.length).toBeLessThanOrEqual(5);
  if (op) expect(finding!.ops).toContain(op);
  const suite = (plugin: string, variables: NodeJS.ProcessEnv = {}) =>
    cli(
      ['run', '--plugin', plugin, '--suites', join(fault, 'suites'), '--tests', `${finding!.id}/*`, '--output', 'out'],
      {
        cwd: directory,
        env: variables,
      },
    );
  expect((await suite('reference')).exitCode).toBe(0);
  expect((await suite(faults, env)).exitCode).toBe(1);
});

test('the tasks of an array have their shards, and a task that is run again resumes its own campaign', async () => {
  const task = (index: number, job: string, count: string): ReturnType<typeof fuzz> =>
    fuzz(['--plugin', 'reference', '--count', count, '--shard', 'auto', '--output', 'array'], {
      SLURM_ARRAY_JOB_ID: job,
      SLURM_ARRAY_TASK_ID: String(index),
      SLURM_ARRAY_TASK_MIN: '1',
      SLURM_ARRAY_TASK_MAX: '2',
      SLURM_ARRAY_TASK_COUNT: '2',
    });
  expect((await task(2, '17', '10')).exitCode).toBe(0);
  expect(stateOf('array/shard-2-of-2')).toMatchObject({ shard: '2/2', job: '17', agreed: 5 });
  expect((await task(2, '17', '20')).exitCode).toBe(0);
  expect(stateOf('array/shard-2-of-2')).toMatchObject({ agreed: 10 });
  const another = await task(2, '18', '20');
  expect([another.exitCode, another.stderr]).toEqual([2, expect.stringContaining('is the state of a campaign')]);
});

test('a campaign in parts is the campaign in one go', async () => {
  const whole = await fuzz(['--plugin', 'reference', '--count', '60', '--output', 'whole', '--format', 'json']);
  const part = ['--plugin', 'reference', '--output', 'parts', '--format', 'json'];
  await fuzz([...part, '--count', '25']);
  expect((await fuzz([...part, '--count', '60'])).exitCode).toBe(2);
  expect((await fuzz([...part, '--count', '60', '--seed', '1', '--resume'])).exitCode).toBe(2);
  const resumed = await fuzz([...part, '--count', '60', '--resume']);
  const without = (text: string): object => ({ ...(JSON.parse(text) as State), elapsedMs: 0 });
  expect(without(resumed.stdout)).toEqual(without(whole.stdout));
  const shards = ['1/2', '2/2'].map((shard, i) =>
    fuzz(['--plugin', 'reference', '--count', '61', '--shard', shard, '--output', `shard${i}`]),
  );
  await Promise.all(shards);
  expect([0, 1].map((i) => stateOf(`shard${i}`).agreed)).toEqual([31, 30]);
});

test('a plugin that does not start is no finding', async () => {
  const env = { PJRT_FAULTS_BASE: join(directory, 'nothing.so') };
  const run = await fuzz(['--plugin', faults, '--count', '5', '--output', 'unusable'], env);
  expect(run.exitCode).toBe(3);
  expect(existsSync(join(directory, 'unusable', 'suites'))).toBe(false);
});
