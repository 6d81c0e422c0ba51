/** `--device-env`: the same run on several devices at the same time, or one run that they share. */
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { display } from '../../base/display.ts';
import type { CommandEnvironment } from '../../base/environment.ts';
import { UsageError } from '../../base/usage-error.ts';
import { type DeviceRow, deviceRows } from '../../host/devices/device-rows.ts';
import { messageOf } from '../../host/plugins/plugin-error.ts';
import { emptyRun } from '../../model/run.ts';
import { compareDevices, type DeviceRun, deviceLines } from '../../report/compare/device-comparison.ts';
import { fixedTimeFrom, lockLog, writeFileAtomically } from '../../report/index.ts';
import { writeJunitOf } from '../../report/junit.ts';
import { type ExitCode, worstOf } from '../../verdict/exit-codes.ts';
import { makeRoom } from '../files/earlier-files.ts';
import { placeOf, reportLines } from '../files/report-files.ts';
import { report } from '../finish/report.ts';
import type { RunOutcome } from '../finish/run-outcome.ts';
import { partition } from '../fleet/partition.ts';
import type { RunOptions } from '../plan/run-options.ts';
import { resolveAll, workerCount } from '../plugin/plugin-setup.ts';
import { selectedCases } from '../suites/selection.ts';
import { labelled } from './labelled.ts';

/** Runs one device. */
type RunOne = (options: RunOptions, environment: CommandEnvironment) => Promise<RunOutcome>;

/**
 * Runs on each device of `options.deviceEnv`, all at the same time: every case on every device, or with `acrossDevices` a part of the
 * cases on each. Each device has a directory with log and reports of its own.
 * @returns the worst exit code of any device, or that of the merged run
 * @throws UsageError; what the run of a device throws, after the others have ended
 */
export async function runOnDevices(
  options: RunOptions,
  environment: CommandEnvironment,
  runOne: RunOne,
): Promise<number> {
  const rows = deviceRows(options.deviceEnv!);
  refuseOthers(options);
  const across = options.acrossDevices === true && rows.length > 1;
  if (across) await demandCases(options, rows, environment.cwd);
  // At once: what has to be fetched or built is then there for all.
  const plugins = await resolveAll(options, environment);
  const { directory, log } = placeOf(options, plugins, environment.cwd);
  if (!across) await clearPlace(directory, log, options, environment);
  const { acrossDevices: _, junit: __, ...each } = across ? ownReports(options) : options;
  const cores = Math.max(1, Math.floor(availableParallelism() / rows.length));
  const workers = Math.min(workerCount(options, plugins), options.workers ?? cores);
  const runs = await Promise.allSettled(
    rows.map(async (row, i) => {
      const own: RunOptions = {
        ...each,
        deviceEnv: [row.text],
        workers,
        output: join(directory, row.name),
        ...(across ? { shard: `${i + 1}/${rows.length}` } : {}),
      };
      const [stdout, stderr] = [environment.stdout, environment.stderr].map((s) => labelled(s, `[${row.name}] `));
      try {
        return await runOne(own, { ...environment, stdout: stdout!, stderr: stderr! });
      } finally {
        stdout!.end();
        stderr!.end();
      }
    }),
  );
  const devices = runs.map((run, i) => deviceRun(rows[i]!, run));
  const failures = runs.flatMap((run, i) => (run.status === 'rejected' ? [{ error: run.reason, row: rows[i]! }] : []));
  const [first, ...others] = failures;
  if (first && failures.length === rows.length) throw first.error;
  if (!across) {
    const code = compared(devices, directory, options, environment);
    if (!first) return code;
  } else if (!first) return merged(devices, directory, options, environment);
  for (const { error, row } of others) environment.stderr.write(`error: [${row.name}] ${messageOf(error)}\n`);
  throw about(first);
}

/** The directory of all devices has no log of its own: a run of one device that is there is moved. */
async function clearPlace(
  directory: string,
  log: string,
  { quiet }: RunOptions,
  { cwd, stderr }: CommandEnvironment,
): Promise<void> {
  const lock = await lockLog(log);
  try {
    const moved = makeRoom({ directory, log, plugins: [], cases: [] }, cwd);
    if (moved && !quiet) stderr.write(`note: ${moved}\n`);
  } finally {
    await lock.release();
  }
}

/** The result of the run of a device. */
const deviceRun = ({ name, env }: DeviceRow, run: PromiseSettledResult<RunOutcome>): DeviceRun =>
  run.status === 'fulfilled'
    ? { name, env, run: run.value.run, exitCode: run.value.exitCode, log: run.value.log }
    : { name, env, run: emptyRun(), failure: messageOf(run.reason) };

/** Writes where the devices differ, and the JUnit file of all devices. */
function compared(
  runs: readonly DeviceRun[],
  directory: string,
  { junit, junitFlavor, junitHostname }: RunOptions,
  { cwd, env, stdout }: CommandEnvironment,
): ExitCode {
  const shown = runs.map((run) => ({ ...run, ...(run.log === undefined ? {} : { log: display(cwd, run.log) }) }));
  const comparison = compareDevices(shown);
  const path = join(directory, 'devices.json');
  writeFileAtomically(path, (write) => write(`${JSON.stringify(comparison, undefined, 2)}\n`));
  const junitFile = junit === undefined ? join(directory, 'junit.xml') : resolve(cwd, junit);
  const fixedTime = fixedTimeFrom(env);
  const groups = runs.map(({ run, name }) => ({ run, group: `device-${name}` }));
  writeFileAtomically(junitFile, (write) =>
    writeJunitOf(groups, write, { junitFlavor, ...(junitHostname ? { hostname: junitHostname } : {}), fixedTime }),
  );
  const files = reportLines(
    [
      ['devices', path],
      ['junit', junitFile],
    ],
    cwd,
  );
  stdout.write(`${[...deviceLines(comparison), ...files].join('\n')}\n`);
  return worstOf(runs.flatMap(({ exitCode }) => (exitCode === undefined ? [] : [exitCode as ExitCode])));
}

/** Writes the reports of one run. */
async function merged(
  runs: readonly DeviceRun[],
  directory: string,
  options: RunOptions,
  environment: CommandEnvironment,
): Promise<number> {
  // Results already have their expectations.
  const { expectations: _, strictExpectations: __, ...reports } = options;
  const logs = runs.flatMap(({ log }) => log ?? []);
  const { exitCode } = await report(logs, { ...reports, output: directory }, environment);
  return exitCode;
}

/** The options of one part of a run whose reports are merged. */
const ownReports = ({ report: _, junit: __, json: ___, events: ____, ...rest }: RunOptions): RunOptions => ({
  ...rest,
  github: false,
  quiet: true,
});

/** Options that would make all devices write the same file, or that are about one run. */
function refuseOthers(options: RunOptions): void {
  const refuse = (flag: string, advice: string): never => {
    throw new UsageError(`${flag} and --device-env: ${advice}`, { options: [flag.slice(2), 'device-env'] });
  };
  if (options.updateExpectations)
    refuse('--update-expectations', 'the devices would write the same file; run on one device');
  if (options.acrossDevices) {
    if (options.shard !== undefined) refuse('--shard', '--across-devices makes shards of its own; omit --shard');
    if (options.baseline)
      refuse('--baseline', 'each device runs a part of the cases; use compare on the merged reports');
    return;
  }
  const own = 'each device has reports of its own; --output names the directory in which each has its directory';
  for (const name of ['json', 'events'] as const) if (options[name] !== undefined) refuse(`--${name}`, own);
  if (options.report?.some((format) => format.includes('='))) refuse('--report FORMAT=FILE', own);
}

/** @throws UsageError if a device would have no case */
async function demandCases(options: RunOptions, rows: readonly DeviceRow[], cwd: string): Promise<void> {
  const { cases } = await selectedCases(options, cwd);
  const ids = cases.map(({ id }) => id);
  const used = new Set(partition(ids, rows.length).values());
  const idle = rows.filter((_, i) => !used.has(i + 1)).map(({ name }) => name);
  if (idle.length === 0) return;
  throw new UsageError(
    `--across-devices: of ${cases.length} cases none would be left for ${idle.join(', ')}; use fewer devices, or omit --across-devices to run all on each`,
    { options: ['across-devices'] },
  );
}

/** An error with the name of the device on which it happened. */
function about({ error, row }: { error: unknown; row: DeviceRow }): unknown {
  if (error instanceof Error && error.name !== 'AbortError') error.message = `[${row.name}] ${error.message}`;
  return error;
}
