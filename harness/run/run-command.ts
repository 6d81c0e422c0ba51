import { dirname, resolve } from 'node:path';
import type { CommandEnvironment } from '../base/environment.ts';
import { UsageError } from '../base/usage-error.ts';
import { WEIGHING_OPTIONS } from '../verdict/breach.ts';
import { mustpassList } from '../verdict/mustpass/list.ts';
import { asOwnLog, ownLog, taskOptions } from './devices/array-task.ts';
import { runOnDevices } from './devices/on-devices.ts';
import { submissionOf } from './files/submission.ts';
import { report } from './finish/report.ts';
import type { RunOutcome } from './finish/run-outcome.ts';
import { outputs } from './plan/preparation.ts';
import { type PastRun, takeUp } from './plan/resume.ts';
import type { RunOptions } from './plan/run-options.ts';
import { runSession, type SessionMore } from './run.ts';

/**
 * `run`: resolves the plugins, runs the selected cases, writes the reports; or resumes a run from its log.
 * @param given options on the command line, by their names in `options`
 * @returns the exit code
 */
export async function run(
  options: RunOptions,
  environment: CommandEnvironment,
  given: ReadonlyMap<string, string> = new Map(),
): Promise<number> {
  if (options.resume !== undefined) return (await resumed(options, environment, given)).exitCode;
  if (options.acrossDevices && !options.deviceEnv)
    throw new UsageError('--across-devices: which devices? --device-env says it', { options: ['across-devices'] });
  const task = await taskOptions(options, environment);
  if (task.deviceEnv) return runOnDevices(task, environment, runSession);
  return (await runTask(task, environment)).exitCode;
}

/**
 * A run of the options of one task; resumes the log of the task if its scheduler runs it again.
 * @param options of {@link taskOptions}
 * @param listener receives every event of this session
 */
export async function runTask(
  options: RunOptions,
  environment: CommandEnvironment,
  listener?: SessionMore['listener'],
): Promise<RunOutcome> {
  const own = ownLog(options, environment);
  if (!own) return runSession(options, environment, { listener });
  const again = { ...options, resume: own.path };
  return asOwnLog(own, () => resumed(again, environment, own.given, listener));
}

async function resumed(
  options: RunOptions,
  environment: CommandEnvironment,
  given: ReadonlyMap<string, string>,
  listener?: SessionMore['listener'],
): Promise<RunOutcome> {
  const past = await takeUp(options, given, environment);
  try {
    return await resumeRun(past, environment, listener);
  } finally {
    await past.lock.release();
  }
}

async function resumeRun(
  past: PastRun,
  environment: CommandEnvironment,
  listener: SessionMore['listener'],
): Promise<RunOutcome> {
  const there = { ...environment, cwd: past.header.invocation!.cwd };
  if (!past.finished) return runSession(past.options, there, { past, listener });
  // The log's results already have the expectations of that time.
  const judging = ['events', 'expectations', 'updateExpectations', ...WEIGHING_OPTIONS];
  const reports = Object.fromEntries(Object.entries(past.options).filter(([name]) => !judging.includes(name)));
  const { cases } = past.run;
  const directory = resolve(there.cwd, past.options.output ?? dirname(past.log));
  const { gate } = await outputs(past.options, there, { directory, log: past.log }, [...cases.keys()], past);
  environment.stdout.write(
    `the run is complete: ${cases.size} of ${cases.size} cases have a result; writing the reports again\n`,
  );
  const outcome = await report([past.log], { ...reports, output: directory }, there);
  submittedAgain(past, directory, there)?.publish(past.run);
  const { exitCode } = outcome;
  return { ...outcome, exitCode: gate ? await gate.judge(past.run, past.log, exitCode) : exitCode };
}

/** The submission whose run is complete. */
function submittedAgain({ options, run }: PastRun, directory: string, environment: CommandEnvironment) {
  const { mustpass, profile } = options;
  const list = mustpass === undefined ? undefined : mustpassList(mustpass, profile);
  const tested = run.plugins.map(({ path, sha256 }) => ({ library: path, sha256 }));
  return submissionOf({ ...options }, list, tested, directory, environment);
}
