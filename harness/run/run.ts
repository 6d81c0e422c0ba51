import { dirname, join, resolve } from 'node:path';
import { display } from '../base/display.ts';
import { type CommandEnvironment, faultOf } from '../base/environment.ts';
import { redactAll } from '../base/redact.ts';
import { StatusLine } from '../base/status-line.ts';
import type { Debugger } from '../host/debuggers/session.ts';
import { deviceVariables } from '../host/devices/device-rows.ts';
import { withDevices } from '../host/devices/with-devices.ts';
import { EarlyWorker } from '../host/early-worker.ts';
import type { RunPlan } from '../host/run-plan.ts';
import { runPlan } from '../host/runner.ts';
import { SanitizerLog } from '../host/sanitizers/log.ts';
import type { CaseResult } from '../model/case-result.ts';
import type { Event } from '../model/events.ts';
import type { ResolvedPlugin } from '../model/plugin.ts';
import { EventLog, fixedTimeFrom, lockLog } from '../report/index.ts';
import { partsByWorth } from '../suite/by-worth.ts';
import type { Case } from '../suite/types.ts';
import type { ExitCode } from '../verdict/exit-codes.ts';
import { dayOf, type Expectations, headerEntry } from '../verdict/expectations/apply.ts';
import { foreignCode } from '../verdict/mustpass/foreign-code.ts';
import { failsRun } from '../verdict/standing.ts';
import { type VerdictOptions, verdict } from '../verdict/verdict.ts';
import { afterwards, debugged, debuggerOf } from './debuggers/debugger-of.ts';
import { examiner } from './debuggers/examiner.ts';
import { makeRoom, removeReports, removeStale, renamed, sameBytes } from './files/earlier-files.ts';
import { allCaseIds, updateExpectations } from './files/expectations.ts';
import { type OutcomeFile, openOutcomes } from './files/outcome-file.ts';
import { reportLines, violatedTexts, writeReports } from './files/report-files.ts';
import { frameworkVerdict } from './finish/framework-verdict.ts';
import type { RunOutcome } from './finish/run-outcome.ts';
import { Estimate } from './plan/estimate.ts';
import { headerOf } from './plan/header.ts';
import { jobOf } from './plan/job-options.ts';
import { orderCases, planNotes } from './plan/plan-events.ts';
import { type Preparation, prepare } from './plan/preparation.ts';
import { type PastRun, recordedOptions, resumeNotes } from './plan/resume.ts';
import type { RunOptions } from './plan/run-options.ts';
import { explainLoad } from './plugin/load-hint.ts';
import {
  deadlines,
  numericsOf,
  resetCommand,
  watchedFiles,
  wirePlugin,
  workerCount,
  workerEnv,
} from './plugin/plugin-setup.ts';
import { sanitizerNotes } from './plugin/sanitizer-setup.ts';
import { askedBy, duration, moreTime } from './plugin/timeouts.ts';
import { Annotator } from './record/annotator.ts';
import { type Debug, startDebug } from './record/debug.ts';
import { answered, consult, isOpen } from './record/oracle.ts';
import { Recorder } from './record/recorder.ts';
import { isRelease } from './suites/selection.ts';

/** What a session is given besides its options. */
export interface SessionMore {
  /** The run to resume. */
  past?: PastRun;
  /** Receives every event. */
  listener?: (event: Event) => void;
  /** Plugins that are resolved already, instead of those that the options name. */
  plugins?: readonly ResolvedPlugin[];
  /** Cases that run before all others: these first, then those. */
  order?: { failed: ReadonlySet<string>; related: ReadonlySet<string> } | undefined;
}

/**
 * One session of a run: from the beginning, or from where the previous one ended.
 * @throws SuiteError, PluginError, UsageError, EventLogError, WriteFileError; AbortError if interrupted while it waits for devices
 */
export async function runSession(
  given: RunOptions,
  { env, ...around }: CommandEnvironment,
  more: SessionMore = {},
): Promise<RunOutcome> {
  // Whether a release works is asked of the plugin as it is known to be.
  const options = { ...given, ...(isRelease(given.profile) ? { acceptKnown: true } : {}) };
  const environment = { ...around, env: { ...env, ...deviceVariables(options.deviceEnv) } };
  const early = new EarlyWorker({ cwd: environment.cwd, env: workerEnv(environment.env, more.plugins ?? []) });
  const { prepared, recorder, code } = await executed(options, environment, more, early).finally(() => early.end());
  const { gate, submission, files, log } = prepared;
  await writeReports(recorder.run, files, options, environment);
  const updated = await updateExpectations(options, environment, recorder.run);
  const reports = files.map(({ format, path }) => [format.name, path] as const);
  recorder.console.close({
    reports: reportLines([['events', log], ...reports], environment.cwd),
    log: display(environment.cwd, log),
    texts: await violatedTexts(recorder.run, options.suites, environment.cwd),
  });
  if (updated) environment.stdout.write(`${updated}\n`);
  submission?.publish(recorder.run);
  const exitCode = gate ? await gate.judge(recorder.run, log, code) : code;
  return { exitCode, run: recorder.run, log, reports: files };
}

/** Prepares the run, and runs it while it has the devices. */
async function executed(
  options: RunOptions,
  environment: CommandEnvironment,
  { past, listener, plugins: given, order }: SessionMore,
  early: EarlyWorker,
): Promise<{ prepared: Preparation; recorder: Recorder; code: ExitCode }> {
  const prepared = await prepare(options, environment, past, given);
  const { plugins, oracle, log } = prepared;
  const inDebugger = debuggerOf(options, prepared, environment);
  const using = oracle ? [...plugins, oracle] : plugins;
  const held = { ...environment, log };
  return withDevices(using, options, held, async () => ({
    prepared,
    ...(await recorded({ prepared, options, environment, past, early, order, inDebugger }, listener)),
  }));
}

/** Runs the cases and writes the log. @returns the exit code that the log has */
async function recorded(
  {
    prepared,
    options,
    environment,
    past,
    early,
    order,
    inDebugger,
  }: Omit<SessionContext, 'recorder' | 'annotator' | 'stop'>,
  listener: SessionMore['listener'],
): Promise<{ recorder: Recorder; code: ExitCode }> {
  const lock = past?.lock ?? (await lockLog(prepared.log));
  // Aborts the run early: on an interruption by the user, or after enough failures.
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  environment.signal.addEventListener('abort', interrupt);
  // It may have been aborted during preparation.
  if (environment.signal.aborted) interrupt();
  let log: EventLog | undefined;
  let outcomes: OutcomeFile | undefined;
  try {
    if (past) removeReports(prepared.directory);
    else clearPlace(prepared, options, environment);
    log = new EventLog(prepared.log, past?.bytes);
    // If the run is killed, no reports of another run may remain.
    for (const { path } of [...prepared.files, ...(prepared.gate?.files ?? [])]) removeStale(path);
    // Repeats and resumed runs would need an estimate of their own.
    const simple = !past && (options.repeat ?? 1) === 1;
    const estimate = simple ? new Estimate(prepared.cases, workerCount(options, prepared.plugins)) : undefined;
    const recorder = new Recorder(log, past?.events ?? [], options, environment, stop, estimate);
    if (listener) recorder.listeners.push(listener);
    if (options.outcomes !== undefined) {
      outcomes = openOutcomes(resolve(environment.cwd, options.outcomes), recorder.run);
      recorder.listeners.push(outcomes.event);
    }
    const began = performance.now();
    const expectations = begin(prepared, recorder, options, environment, past);
    const annotator = new Annotator(prepared.plugins, expectations, recorder.run);
    const completed = await runCases({
      prepared,
      recorder,
      annotator,
      options,
      environment,
      stop,
      past,
      early,
      order,
      inDebugger,
    });
    const entries = expectations && annotator.entries(await allCaseIds(options, environment.cwd));
    if (entries) recorder.record({ type: 'expectations', entries });
    const ending = !completed ? 'cut-off' : environment.signal.aborted ? 'interrupted' : 'complete';
    const { submission } = prepared;
    if (submission && ending === 'complete') recorder.record(submission.event(recorder.run));
    const outcome = end(recorder, ending, (past?.resume.atMs ?? 0) + performance.now() - began);
    return { recorder, code: outcome.exitCode };
  } finally {
    environment.signal.removeEventListener('abort', interrupt);
    log?.close();
    outcomes?.close();
    await lock.release();
  }
}

/** Makes room for the files of a run, and says what was moved, and which run was of the same plugin. */
function clearPlace(
  prepared: Preparation,
  { plugin, output, quiet }: RunOptions,
  { cwd, stderr }: CommandEnvironment,
): void {
  const { directory, log, plugins, cases } = prepared;
  const ids = cases.map(({ id }) => id);
  const moved = makeRoom({ directory, log, plugins: plugins.map(({ name }) => name), cases: ids }, cwd);
  // The default directory has the name of the plugin.
  const names =
    output === undefined ? [...renamed(plugin[0]!, plugins[0]!), ...sameBytes(directory, plugins[0]!, cwd)] : [];
  if (!quiet) for (const line of [...(moved ? [moved] : []), ...names]) stderr.write(`note: ${line}\n`);
}

/** Writes the events before the first case. @returns the expectations for the results */
function begin(
  {
    plugins,
    suites,
    profileName,
    caller,
    selection,
    shard,
    submission,
    plan,
    expected,
    settings,
    environment: variables,
  }: Preparation,
  { record }: Recorder,
  options: RunOptions,
  environment: CommandEnvironment,
  past: PastRun | undefined,
): Expectations | undefined {
  const header = headerOf(redactAll(options), environment, plugins, profileName, caller, {
    selection,
    shard,
    submission,
  });
  const date = past?.header.expectations?.date ?? dayOf(header.startedAt, fixedTimeFrom(environment.env));
  // A file that --update-expectations will create is not read, but the run has expectations.
  const expectations = options.expectations || expected.length > 0 ? { files: expected, date } : undefined;
  if (past) record(past.resume);
  else {
    record({
      ...header,
      ...(expectations ? { expectations: headerEntry(expectations) } : {}),
      environment: variables,
      invocation: { cwd: environment.cwd, options: recordedOptions(options), settings },
    });
  }
  if (!past?.planned) for (const event of plan) record(event);
  for (const note of planNotes(options, plugins, suites, foreignCode(environment.env, process.execArgv))) record(note);
  if (past) for (const note of resumeNotes(past, variables)) record(note);
  return expectations;
}

interface SessionContext {
  prepared: Preparation;
  recorder: Recorder;
  annotator: Annotator;
  options: RunOptions;
  environment: CommandEnvironment;
  stop: AbortController;
  past: PastRun | undefined;
  early: EarlyWorker;
  order: SessionMore['order'];
  inDebugger: Debugger | undefined;
}

/** Runs the cases without a result, and determines the verdict of a framework release. @returns false: the harness failed */
async function runCases({
  prepared,
  recorder,
  annotator,
  options,
  environment,
  stop,
  past,
  early,
  order,
  inDebugger,
}: SessionContext): Promise<boolean> {
  const { plugins, release, profile, caller, facts } = prepared;
  const { run, record } = recorder;
  const open = orderCases(prepared.cases.filter(({ id }) => !run.cases.get(id)?.result));
  const { profile: accuracy, from } = numericsOf(options, plugins);
  const numerics = { profile: accuracy, chosen: from !== 'default' };
  const job = jobOf(options);
  let debug: Debug | undefined;
  if (options.debug) {
    const ids = open.map(({ id }) => id);
    debug = startDebug(plugins, ids, join(dirname(prepared.log), 'workers'), environment);
    recorder.listeners.push(debug.event);
  }
  const used = [...new Set(plugins.flatMap(({ sanitizers = [] }) => sanitizers.map(({ name }) => name)))];
  const sanitizers = used.length > 0 ? new SanitizerLog(used) : undefined;
  for (const note of sanitizerNotes(plugins)) record(note);
  const cases = await withExpectations(open, { prepared, recorder, options, environment, stop });
  const work = {
    cases,
    plugins: plugins.map((plugin) => ({ ...wirePlugin(plugin), numerics, ...(job ? { job } : {}) })),
    facts,
    cwd: environment.cwd,
    ...debugged(inDebugger, { ...workerEnv(environment.env, plugins, sanitizers?.pathOf), ...debug?.env }),
    sanitizers,
    examine: examiner(options, environment.env, record),
    early,
    binding: options.binding,
    caller,
    clients: profile.clients,
    // Machines that run cases together run them in the same order.
    workers: job?.node === undefined && !inDebugger ? workerCount(options, plugins) : 1,
    deadlines: deadlines(askedBy(options), plugins),
    resetCommand: resetCommand(options, plugins),
    ...inOrder(options, open, order),
    moreTime,
    explainLoad,
    requirements: async () =>
      (await import('../suite/requirements.ts')).requirementsFor(options.suites ?? [], environment.cwd),
    annotate: annotator.annotate,
    knownToFail: annotator.knownToFail,
    repetition: {
      repeat: options.repeat ?? 1,
      rerunFailed: options.rerunFailed ?? 0,
      fails: (id: string, result: CaseResult) =>
        failsRun(
          { plan: run.cases.get(id)!.plan, result: annotator.annotate(id, result) },
          { ...options, strictExpectations: false },
        ),
    },
    watched: {
      files: watchedFiles(plugins, facts),
      hash: prepared.submission !== undefined,
      before: past?.run.plugins[0]?.mapped,
    },
    listen: debug?.listen,
    ...(past ? { before: { ms: past.resume.atMs, workers: past.workers } } : {}),
    signal: stop.signal,
  };
  try {
    if (cases.length > 0) await runPlan(work, record);
    const recorded = inDebugger && afterwards(inDebugger, environment.cwd);
    if (recorded) record(recorded);
    const fault = faultOf(environment.signal);
    if (fault !== undefined) throw fault;
    const usable = run.plugins[0]?.apiVersion !== undefined;
    if (release && usable && run.frameworks.length === 0 && !stop.signal.aborted) {
      const how = { binding: options.binding, deadlines: askedBy(options) };
      const verdictOfRelease = await frameworkVerdict(how, environment, plugins[0]!, release, run);
      if (verdictOfRelease) record({ type: 'framework', verdict: verdictOfRelease });
    }
    return true;
  } catch (error) {
    const detail = (error as Error).stack ?? '';
    record({
      type: 'note',
      level: 'error',
      message: `the harness failed: ${String(error)}`,
      detail,
      fact: { kind: 'harness' },
    });
    return false;
  } finally {
    debug?.close();
    sanitizers?.remove();
  }
}

/** What runs first: what failed before and what is related to it; and if there may not be time for all, what detects most. */
function inOrder(
  { budget }: RunOptions,
  cases: readonly Case[],
  order: SessionMore['order'],
): Pick<RunPlan, 'budget' | 'partOf'> {
  const parts = budget === undefined ? undefined : partsByWorth(cases);
  if (!parts && !order) return {};
  const partOf = (id: string): number =>
    order?.failed.has(id) ? 0 : order?.related.has(id) ? 1 : 2 + (parts?.get(id) ?? 0);
  if (budget === undefined) return { partOf };
  return { partOf, budget: { ms: budget, reason: `left out: ${duration(budget)} were spent (--budget)` } };
}

/** Cases with the expectations that an oracle gives, where they have none of their own. */
async function withExpectations(
  cases: readonly Case[],
  {
    prepared,
    recorder,
    options,
    environment,
    stop,
  }: Omit<SessionContext, 'annotator' | 'past' | 'early' | 'order' | 'inDebugger'>,
): Promise<readonly Case[]> {
  const { oracle, log } = prepared;
  const asking = oracle ? cases.filter(isOpen) : [];
  if (!oracle || asking.length === 0) return cases;
  const directory = join(dirname(log), 'oracle');
  const line = new StatusLine(environment.stderr);
  const progress = (answered: number): void => {
    const title = `asking ${oracle.name} for the expected results of ${asking.length} programs`;
    if (!options.quiet) line.update(title, answered);
  };
  progress(0);
  const { signal } = stop;
  const consulted = { oracle, cases: asking, directory, options, environment: { ...environment, signal } };
  const answers = await consult({ ...consulted, onAnswer: progress });
  line.clear();
  const silent = [...answers.values()].filter((answer) => 'reason' in answer).length;
  recorder.record({
    type: 'note',
    level: 'info',
    message: `${oracle.name} (${oracle.library}, sha256 ${oracle.sha256.slice(0, 12)}) says what is expected of ${asking.length - silent} of ${asking.length} programs; its outputs are in ${display(environment.cwd, directory)}`,
  });
  return cases.map((testCase) => {
    const answer = answers.get(testCase.id);
    return answer ? answered(testCase, answer, oracle.name) : testCase;
  });
}

/** Writes the footer. @returns the verdict */
function end({ run, record }: Recorder, ending: VerdictOptions['ending'], durationMs: number) {
  const outcome = verdict(run, { ending });
  record({
    type: 'footer',
    finishedAt: new Date().toISOString(),
    durationMs: Math.round(durationMs),
    counts: { ...run.counts },
    exitCode: outcome.exitCode,
    verdict: outcome.line,
    interrupted: ending === 'interrupted',
  });
  return outcome;
}
