import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { packagePath } from '../../harness/base/paths.ts';
import { scratchDirectory } from '../../harness/base/scratch.ts';
import type { Event } from '../../harness/model/events.ts';
import { type CaseRun, foldRun, type Run } from '../../harness/model/run.ts';
import { readEvents } from '../../harness/report/index.ts';
import { type Slurm, startSlurm } from '../slurm/one-node.ts';

const MAIN = packagePath('dist', 'cli', 'main.js');
/** An array may wait for the processors, which it does not have alone. */
const DEADLINE_MS = 3_600_000;

/** A run, in one process or as an array. */
interface MeasuredRun {
  /** From the beginning of the first log to the end of the last one: without the time that Slurm takes to start tasks. */
  wallMs: number;
  /** Sum of the times of the tasks; of one process, its time. */
  busyMs: number;
  run: Run;
}

/** One run of a plugin in several ways. */
export interface MeasuredFleet {
  tasks: number;
  /** One process with as many workers as the array has tasks, before the arrays and after them. */
  wholes: readonly [MeasuredRun, MeasuredRun];
  /** Arrays of tasks with a worker each, with shards by hash and by the durations of `whole`. */
  arrays: { how: string; array: MeasuredRun; differences: string[] }[];
}

/** Measures the full run of a plugin in one process, and as an array on a Slurm cluster of this machine. */
export async function measureFleet(plugin: string, more: readonly string[]): Promise<MeasuredFleet> {
  const directory = scratchDirectory('fleet');
  const cluster = join(directory, 'c');
  mkdirSync(cluster);
  const tasks = availableParallelism();
  const run = ['run', '--plugin', plugin, '--quiet', ...more];
  let slurm: Slurm | undefined;
  try {
    const inOne = async (name: string): Promise<MeasuredRun> => {
      await command([...run, '--workers', String(tasks), '--report', 'durations', '--output', join(directory, name)]);
      return measured(directory, [name], name);
    };
    const whole = await inOne('whole');
    slurm = await startSlurm(cluster);
    const arrays: MeasuredFleet['arrays'] = [];
    for (const [name, how, options] of [
      ['hashed', 'by hash', []],
      ['balanced', 'by durations', ['--durations', join(directory, 'whole', 'durations.json')]],
    ] as const) {
      const output = join(directory, name);
      const job = submit(
        slurm,
        directory,
        [...run, '--workers', '1', '--shard', 'auto', '--output', output, ...options],
        tasks,
      );
      await slurm.until(
        job,
        (all) => all.size === tasks && [...all.values()].every(({ JobState }) => ENDED.test(JobState!)),
        DEADLINE_MS,
      );
      await command(['report', output, '--quiet']);
      const parts = Array.from({ length: tasks }, (_, i) => join(name, `shard-${i + 1}-of-${tasks}`));
      const array = measured(directory, parts, join(name, 'merged'));
      arrays.push({ how, array, differences: differences(whole.run, array.run) });
    }
    // The machine may have become faster or slower meanwhile.
    return { tasks, wholes: [whole, await inOne('again')], arrays };
  } finally {
    await slurm?.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

const ENDED = /^(COMPLETED|FAILED)$/;

function submit(slurm: Slurm, directory: string, args: readonly string[], tasks: number): string {
  const script = join(directory, 'job.sh');
  writeFileSync(script, `#!/bin/sh\nexec ${process.execPath} ${MAIN} ${args.join(' ')}\n`);
  return slurm.submit(script, [`--array=0-${tasks - 1}`, `--chdir=${process.cwd()}`, `--output=${directory}/%a.txt`]);
}

const command = (args: readonly string[]): Promise<void> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
    child.on('close', () => resolve());
  });

function measured(directory: string, parts: readonly string[], all: string): MeasuredRun {
  const eventsOf = (name: string): Event[] => [...readEvents(join(directory, name, 'events.jsonl'))];
  const times = parts.map((part) => {
    const { header, footer } = foldRun(eventsOf(part));
    return { from: Date.parse(header!.startedAt), to: Date.parse(footer!.finishedAt) };
  });
  return {
    wallMs: Math.max(...times.map(({ to }) => to)) - Math.min(...times.map(({ from }) => from)),
    busyMs: times.reduce((sum, { from, to }) => sum + to - from, 0),
    run: foldRun(eventsOf(all)),
  };
}

/** Cases whose status, reason or findings differ. */
function differences(one: Run, other: Run): string[] {
  const text = (item: CaseRun | undefined): string =>
    JSON.stringify([item?.result?.status, item?.result?.reason, item?.result?.findings.map(({ type }) => type)]);
  const ids = new Set([...one.cases.keys(), ...other.cases.keys()]);
  return [...ids].filter((id) => text(one.cases.get(id)) !== text(other.cases.get(id)));
}
