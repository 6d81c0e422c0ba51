import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import { CI_SYSTEMS, fillTemplate } from '../harness/cli/init/ci.ts';
import type { Event } from '../harness/model/events.ts';
import { foldRun, type Run } from '../harness/model/run.ts';
import { readEvents } from '../harness/report/index.ts';
import { type Slurm, startSlurm, whyNoSlurm } from '../tools/slurm/one-node.ts';
import { command, type Ended } from './support/command.ts';
import { referenceLibrary } from './support/reference.ts';

const why = whyNoSlurm();
const TASKS = 4;
const MAIN = packagePath('dist', 'cli', 'main.js');
/** Long enough for a task to be killed in the middle of it. */
const RUN = ['run', '--plugin', 'reference', '--suite', 'client', '--suite', 'buffers/host-transfer', '--workers', '1'];

let directory: string;
let slurm: Slurm;

describe.skipIf(why)(why ? `Slurm (skipped: ${why})` : 'Slurm', () => {
  beforeAll(async () => {
    await referenceLibrary();
    // A short path, for the socket in it.
    directory = mkdtempSync(join(tmpdir(), 'slurm-'));
    mkdirSync(join(directory, 'cluster'));
    slurm = await startSlurm(join(directory, 'cluster'));
  });
  afterAll(async () => {
    await slurm?.stop();
    if (directory) rmSync(directory, { recursive: true, force: true });
  });

  const conformance = (args: readonly string[]): Ended => command(args, directory);
  const eventsOf = (run: string): Event[] => {
    try {
      return [...readEvents(join(directory, run, 'events.jsonl'))];
    } catch {
      // It has not been started.
      return [];
    }
  };

  /** Submits the script that `init` writes, with this run in it. */
  function submit(args: readonly string[], delayUs = 0): string {
    const tool = `${process.execPath} ${MAIN}`;
    const values = { tool, tarball: 'none.tgz', command: [tool, ...args].join(' '), reports: 'results' };
    const script = join(directory, 'job.sh');
    // Its process id is that of the command.
    const text = fillTemplate(join('ci', CI_SYSTEMS.slurm.template), values);
    writeFileSync(
      script,
      text.replace(
        /^exec/m,
        () => `export PJRT_REFERENCE_DELAY_US=${delayUs}\necho $$ > pid-$SLURM_ARRAY_TASK_ID\nexec`,
      ),
    );
    return slurm.submit(script, [`--array=0-${TASKS - 1}`, `--chdir=${directory}`]);
  }

  const ended = (job: string) =>
    slurm.until(
      job,
      (tasks) =>
        tasks.size === TASKS && [...tasks.values()].every(({ JobState }) => /^(COMPLETED|FAILED)$/.test(JobState!)),
      300_000,
    );

  test('an array, of which one task is killed and requeued, has the results of one run', async () => {
    const whole = conformance([...RUN, '--output', 'whole', '--report', 'durations']);
    expect([whole.status, whole.stderr]).toEqual([0, '']);
    // A plugin that takes its time: the task must still be running when it is killed.
    const job = submit([...RUN, '--durations', 'whole/durations.json', '--output', 'results'], 10_000);
    const killed = 'results/shard-2-of-4';
    while (!eventsOf(killed).some(({ type }) => type === 'case')) await pause(5);
    process.kill(Number(readFileSync(join(directory, 'pid-1'), 'utf8')), 'SIGKILL');
    const ofKilled = await ended(job);
    expect(ofKilled.get(1)).toMatchObject({ JobState: 'FAILED', Restarts: '0' });
    const before = foldRun(eventsOf(killed));
    expect(before.counts.notrun).toBeGreaterThan(0);

    const refused = conformance(['report', 'results']);
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain(`${killed}/events.jsonl has no end: the run is unfinished, `);

    slurm.control('scontrol', ['requeue', `${job}_1`]);
    await slurm.until(job, (tasks) => tasks.get(1)?.JobState === 'PENDING');
    // Slurm lets a requeued task wait for two minutes.
    slurm.control('scontrol', ['update', `JobId=${job}_1`, 'StartTime=now']);
    expect((await ended(job)).get(1)).toMatchObject({ JobState: 'COMPLETED', Restarts: '1' });
    const after = foldRun(eventsOf(killed));
    expect(after.resumed).toHaveLength(1);
    for (const [id, { result }] of before.cases) if (result) expect(after.cases.get(id)!.result).toEqual(result);
    expect(after.header!.shard).toMatchObject({ index: 2, from: 'Slurm array, SLURM_ARRAY_TASK_ID=1', job });

    const merged = conformance(['report', 'results']);
    expect([merged.status, merged.stderr]).toEqual([0, '']);
    const [one, all] = [foldRun(eventsOf('whole')), foldRun(eventsOf('results/merged'))];
    expect(verdictsOf(all)).toEqual(verdictsOf(one));
    expect(all.footer!.counts).toEqual(one.footer!.counts);
  });

  test('the next array over the same directory runs every case', async () => {
    const next = await ended(submit([...RUN, '--output', 'results']));
    expect([...next.values()].map(({ JobState }) => JobState)).toEqual(Array(TASKS).fill('COMPLETED'));
    const merged = conformance(['report', 'results']);
    expect([merged.status, merged.stderr]).toEqual([0, '']);
    expect(foldRun(eventsOf('results/merged')).resumed).toEqual([]);
    expect(verdictsOf(foldRun(eventsOf('results/merged')))).toEqual(verdictsOf(foldRun(eventsOf('whole'))));
  });
});

/** Each case with its status, reason and findings, in the order of the run. */
const verdictsOf = ({ cases }: Run): unknown[] =>
  [...cases.values()].map(({ plan, result }) => [
    plan.id,
    result?.status,
    result?.reason,
    result?.findings.map(({ type, message }) => [type, message]),
  ]);
