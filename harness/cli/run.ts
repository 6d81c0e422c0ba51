import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, hostname, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { NEWEST_MINOR } from '../abi/index.ts';
import { dayOf, headerEntry, type Judge, judgeOf } from '../expectations/apply.ts';
import type { ExpectationsFile } from '../expectations/expectation.ts';
import { partOf } from '../frameworks/profile.ts';
import { releaseName } from '../frameworks/spec.ts';
import { runPlan } from '../host/runner.ts';
import { deviationFor, idleDeviations } from '../plugins/deviations.ts';
import { formatOptionArgument } from '../plugins/options.ts';
import type { ResolvedPlugin } from '../plugins/types.ts';
import {
  applyEvent,
  type CaseResult,
  createConsoleReporter,
  EVENTS_VERSION,
  type Event,
  EventLog,
  emptyRun,
  fixedTimeFrom,
  lockLog,
  setAside,
} from '../report/index.ts';
import { zeroCounts } from '../report/model.ts';
import type { LoadedSuite } from '../suite/load.ts';
import { parseShard } from '../suite/select.ts';
import type { Case } from '../suite/types.ts';
import { failsRun, WEIGHING_OPTIONS, weighingOf } from '../verdict/breach.ts';
import { verdict } from '../verdict/verdict.ts';
import type { Caller } from '../wire/caller.ts';
import { callerText } from './caller.ts';
import type { ConfigOptions } from './config/option.ts';
import { type Debug, startDebug } from './debug.ts';
import { display } from './display.ts';
import { libcName, relevantEnvironment } from './environment.ts';
import { allCaseIds, type ExpectationOptions, expectationFiles, updateExpectations } from './expectations.ts';
import { frameworkVerdict } from './framework-verdict.ts';
import { type GateOptions, gateOf } from './gate.ts';
import {
  deadlines,
  explainLoad,
  type PluginOptions,
  resolveAll,
  startFacts,
  wirePlugin,
  workerCount,
  workerEnv,
} from './plugin-setup.ts';
import { report } from './report.ts';
import { placeOf, type ReportFileOptions, reportFiles, reportLines, writeReports } from './report-files.ts';
import { changedEnvironment, checkUnchanged, type PastRun, recordedOptions, takeUp } from './resume.ts';
import { type SelectionOptions, selectedAgain, selectedCases } from './selection.ts';
import { shellWords } from './shell-words.ts';
import type { Surroundings } from './surroundings.ts';
import { TOOL } from './version.ts';
import { wantsColor } from './wants-color.ts';

/** Options of `run` as commander gives them. */
export interface RunOptions
  extends SelectionOptions,
    PluginOptions,
    ReportFileOptions,
    ExpectationOptions,
    GateOptions,
    ConfigOptions {
  /** Log of a run to go on with, or its folder. */
  resume?: string;
  events?: string;
  asApi?: Caller;
  maxFailures?: number;
  repeat?: number;
  rerunFailed?: number;
  quiet?: boolean;
  verbose?: boolean;
  debug?: boolean;
  color?: boolean;
}

/**
 * `run`: resolves the plugins, runs the selected cases, writes the reports; or goes on with a run from its log.
 * @param given flags that the command line gives, by their names in `options`
 * @returns the exit code
 */
export async function run(
  options: RunOptions,
  around: Surroundings,
  given: ReadonlyMap<string, string> = new Map(),
): Promise<number> {
  if (options.resume === undefined) return runOnce(options, around);
  const past = await takeUp(options, given, around);
  const there = { ...around, cwd: past.header.invocation!.cwd };
  if (!past.finished) return runOnce(past.options, there, past);
  // The log has been judged already, by what its expectations files said then.
  const judging = ['events', 'expectations', 'updateExpectations', ...WEIGHING_OPTIONS];
  const reports = Object.fromEntries(Object.entries(past.options).filter(([name]) => !judging.includes(name)));
  const { cases } = past.run;
  around.stdout.write(
    `nothing is missing: ${cases.size} of ${cases.size} cases have a result; the reports are written again\n`,
  );
  const code = await report([past.log], { output: dirname(past.log), ...reports }, there);
  const gate = gateOf(past.options, [...cases.keys()], dirname(past.log), there);
  return gate ? gate(past.run, past.log, code) : code;
}

/** One sitting of a run: from the beginning, or from where an earlier one ended. */
async function runOnce(options: RunOptions, around: Surroundings, past?: PastRun): Promise<number> {
  const selected = past?.planned ? await selectedAgain(options, past.run.cases) : await selectedCases(options);
  const { suites, cases, profile, release } = selected;
  const profileName = release ? releaseName(release) : (options.profile ?? 'full');
  const caller: Caller = options.asApi ?? (release ? { minor: Math.min(release.release.minor, NEWEST_MINOR) } : {});
  const resolved = await resolveAll(options, around);
  const informative = (c: Case): boolean => release !== undefined && partOf(release, c) === 'told';
  const plan = [...suiteEvents(suites, cases, around.cwd, informative)];
  const facts = resolved.map(startFacts);
  const expected = expectationFiles(options, around);
  const settings = settingsOf(options, resolved, expected);
  if (past) checkUnchanged(past, { plan, plugins: facts, settings });
  const place = placeOf(options, resolved, around.cwd);
  const path = past?.log ?? place.log;
  const files = reportFiles(options, place.folder, around.cwd);
  const planned = cases.map(({ id }) => id);
  const gate = gateOf(options, planned, place.folder, around);
  const lock = past?.lock ?? (await lockLog(path));
  if (!past) makeWay(path, options, around);
  const log = new EventLog(path, past?.bytes);
  // What a run that is killed leaves behind must not be the reports of another one.
  for (const { path } of files) removeStale(path);
  const color = options.color ?? wantsColor(around);
  const state = emptyRun();
  const reporter = createConsoleReporter({
    stream: around.stdout,
    run: state,
    isTTY: around.stdout.isTTY === true,
    color,
    ...(around.stdout.columns ? { columns: around.stdout.columns } : {}),
    ...(options.verbose ? { verbose: true } : {}),
    ...(options.quiet ? { quiet: true } : {}),
  });
  for (const event of past?.events ?? []) {
    applyEvent(state, event);
    reporter.event(event);
  }
  // Ends the run early: the user's interruption, or enough failures.
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  around.signal.addEventListener('abort', interrupt);
  let failures = 0;
  let debug: Debug | undefined;
  const told = new Set(state.notes.map((note) => JSON.stringify(note)));
  const emit = (event: Event): void => {
    // A plugin that is started again is met with the same remarks.
    if (event.type === 'note' && told.has(JSON.stringify(event))) return;
    log.write(event);
    applyEvent(state, event);
    reporter.event(event);
    debug?.event(event);
    if (event.type !== 'case' || options.maxFailures === undefined || stop.signal.aborted) return;
    if (failsRun(state.cases.get(event.id)!.plan, event.result, options)) failures++;
    if (failures < options.maxFailures) return;
    stop.abort();
    const words = `${failures} ${failures === 1 ? 'failure' : 'failures'}`;
    emit({ type: 'note', level: 'info', message: `stopped after ${words}, as --max-failures asks` });
  };

  const began = performance.now();
  const environment = relevantEnvironment(
    around.env,
    resolved.flatMap((p) => p.manifest?.environment ?? []).map(({ name }) => name),
  );
  const beginning = header(options, around, resolved, profileName, caller);
  const expectations = options.expectations && {
    files: expected,
    date: past?.header.expectations?.date ?? dayOf(beginning.startedAt, fixedTimeFrom(around.env)),
  };
  if (expectations) beginning.expectations = headerEntry(expectations);
  // What the plugin is, on which expectations depend, is known by the time of the first result.
  let known: Judge | undefined;
  const judge = (): Judge | undefined => (known ??= expectations && judgeOf(expectations, state));
  const annotate = (id: string, result: CaseResult): CaseResult => {
    const explained = withDeviation(resolved[0]!, id, result);
    return judge()?.judge(id, explained) ?? explained;
  };
  if (past) emit(past.resume);
  else
    emit({ ...beginning, environment, invocation: { cwd: around.cwd, options: recordedOptions(options), settings } });
  if (!past?.planned) for (const event of plan) emit(event);
  for (const note of planNotes(resolved, suites)) emit(note);
  if (past) for (const note of resumeNotes(past, environment)) emit(note);
  const pending = cases.filter(({ id }) => !state.cases.get(id)?.result);
  const ordered = orderCases(pending);
  if (options.debug) {
    const ids = ordered.map(({ id }) => id);
    debug = startDebug(resolved, ids, join(dirname(path), 'workers'), around);
  }
  let fault: unknown;
  try {
    const work = {
      cases: ordered,
      plugins: resolved.map(wirePlugin),
      facts,
      env: { ...workerEnv(around.env, resolved), ...debug?.env },
      binding: options.binding,
      caller,
      clients: profile.clients,
      workers: workerCount(options, resolved),
      deadlines: deadlines(options, resolved),
      explainLoad,
      annotate,
      repetition: {
        repeat: options.repeat ?? 1,
        rerunFailed: options.rerunFailed ?? 0,
        fails: (id: string, result: CaseResult) =>
          failsRun(state.cases.get(id)!.plan, annotate(id, result), { ...options, strictExpectations: false }),
      },
      ...(debug ? { listen: debug.listen } : {}),
      ...(past ? { before: { ms: past.resume.atMs, workers: past.workers } } : {}),
      signal: stop.signal,
    };
    if (pending.length > 0) await runPlan(work, emit);
    if (release && state.frameworks.length === 0 && !stop.signal.aborted) {
      const verdictOfRelease = await frameworkVerdict(options, around, resolved[0]!, release);
      if (verdictOfRelease) emit({ type: 'framework', verdict: verdictOfRelease });
    }
  } catch (error) {
    fault = error;
    emit({
      type: 'note',
      level: 'error',
      message: `the harness failed: ${String(error)}`,
      detail: (error as Error).stack ?? '',
    });
  }
  const entries = judge()?.entries(await allCaseIds(options));
  if (entries) emit({ type: 'expectations', entries });
  debug?.close();
  around.signal.removeEventListener('abort', interrupt);
  const interrupted = around.signal.aborted;
  const outcome = verdict(state, { ending: interrupted ? 'interrupted' : fault ? 'cut-off' : 'complete' });
  const notrun = state.cases.size - Object.values(state.counts).reduce((a, b) => a + b, 0) + state.counts.notrun;
  emit({
    type: 'footer',
    finishedAt: new Date().toISOString(),
    durationMs: Math.round((past?.resume.atMs ?? 0) + performance.now() - began),
    counts: { ...zeroCounts(), ...state.counts, notrun },
    exitCode: outcome.exitCode,
    verdict: outcome.line,
    interrupted,
  });
  log.close();
  await lock.release();
  await writeReports(state, files, options, around);
  const written = [['events', log.path], ...files.map(({ format, path }) => [format.name, path])] as [string, string][];
  const updated = await updateExpectations(options, around, state);
  reporter.close(reportLines(written, around.cwd));
  if (updated) around.stdout.write(`${updated}\n`);
  return gate ? gate(state, log.path, outcome.exitCode) : outcome.exitCode;
}

/** What options and manifests came to: it must be the same when the run goes on. */
const settingsOf = (
  options: RunOptions,
  resolved: readonly ResolvedPlugin[],
  expected: readonly ExpectationsFile[],
): Record<string, unknown> => ({
  createOptions: resolved.map((p) => Object.entries(p.options).map(([name, o]) => formatOptionArgument(name, o))),
  variables: resolved.map((p) => p.env),
  deadlines: deadlines(options, resolved),
  knownDeviations: resolved.map((p) => sha256(JSON.stringify(p.manifest?.deviations ?? []))),
  expectations: expected.map((file) => file.sha256),
});

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');

function makeWay(path: string, { quiet }: RunOptions, { cwd, stderr }: Surroundings): void {
  const aside = setAside(path);
  if (!aside || quiet) return;
  const kept = display(cwd, aside.path);
  stderr.write(
    `note: ${display(cwd, path)} was the log of a run that had not come to its end (${aside.results} results); it is kept as ${kept}\n` +
      `      to go on with that run: ${TOOL.name} run --resume ${kept}\n`,
  );
}

function removeStale(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile()) rmSync(path, { force: true });
}

/** What a run that goes on says of itself in every report. */
function* resumeNotes({ run, resume, header }: PastRun, environment: Record<string, string>): Generator<Event> {
  const before = {
    'cut-off': 'was killed',
    interrupted: 'was interrupted',
    stopped: 'had stopped',
  }[resume.after];
  const done = run.cases.size - run.counts.notrun;
  const message = `the run ${before} and went on at ${resume.startedAt}: ${done} of ${run.cases.size} cases had a result`;
  yield { type: 'note', level: 'info', message };
  const changes = changedEnvironment(header.environment ?? {}, environment);
  if (changes.length === 0) return;
  yield {
    type: 'note',
    level: 'warning',
    message: 'the run went on in another environment than it was begun in',
    detail: changes.join('\n'),
  };
}

function header(
  options: RunOptions,
  around: Surroundings,
  resolved: readonly ResolvedPlugin[],
  profile: string,
  caller: Caller,
): Extract<Event, { type: 'header' }> {
  const libc = libcName();
  return {
    type: 'header',
    version: EVENTS_VERSION,
    tool: TOOL,
    startedAt: new Date().toISOString(),
    argv: [...around.argv],
    host: {
      name: options.junitHostname ?? hostname(),
      os: process.platform,
      arch: process.arch,
      node: process.version,
      ...(libc === undefined ? {} : { libc }),
      cpus: availableParallelism(),
      memoryBytes: totalmem(),
    },
    profile,
    plugins: resolved.map((p) => ({ name: p.name, path: p.library })),
    reproduce: shellWords([
      'npx',
      TOOL.name,
      'run',
      // Everything that matters of the file stands here.
      ...(options.configUse ? ['--no-config'] : []),
      ...options.plugin.flatMap((spec) => ['--plugin', spec]),
      ...(options.option ?? []).flatMap((o) => ['--option', o]),
      ...(options.suites ?? []).flatMap((s) => ['--suites', s]),
      ...(options.binding === 'lazy' ? ['--binding', 'lazy'] : []),
      // One case is repeated as it ran; the gate of a release needs all of them.
      ...(Object.keys(caller).length > 0 ? ['--as-api', callerText(caller)] : []),
      ...(profile === 'full' || profile.includes('@') ? [] : ['--profile', profile]),
      '--tests',
    ]),
    ...(options.configUse ? { config: options.configUse } : {}),
    options: weighingOf(options),
    ...(options.shard === undefined ? {} : { shard: parseShard(options.shard) }),
  };
}

function* suiteEvents(
  suites: readonly LoadedSuite[],
  cases: readonly Case[],
  cwd: string,
  informative: (testCase: Case) => boolean,
): Generator<Extract<Event, { type: 'suite' }>> {
  const wanted = new Set(cases.map((c) => c.id));
  for (const suite of suites) {
    const places = new Map(suite.cases.map((c, index) => [c.id, index]));
    const chosen = suite.cases.filter((c) => wanted.has(c.id));
    if (chosen.length === 0) continue;
    yield {
      type: 'suite',
      suite: suite.id,
      file: display(cwd, suite.file),
      title: suite.description,
      sha256: sha256(readFileSync(suite.file)),
      cases: chosen.map((testCase) => ({
        id: testCase.id,
        name: testCase.id.slice(testCase.id.indexOf(':') + 1),
        index: places.get(testCase.id)!,
        line: testCase.line,
        title: testCase.title || `${testCase.name} ${JSON.stringify(testCase.params)}`,
        level: testCase.level,
        covers: testCase.covers,
        tags: testCase.tags,
        ...(informative(testCase) ? { informative: true } : {}),
      })),
    };
  }
}

function* planNotes(resolved: readonly ResolvedPlugin[], suites: readonly LoadedSuite[]): Generator<Event> {
  const ids = suites.flatMap((s) => s.cases.map((c) => c.id));
  for (const plugin of resolved) {
    for (const message of plugin.warnings) yield { type: 'note', level: 'warning', message };
    for (const idle of idleDeviations(plugin.manifest, ids)) {
      yield {
        type: 'note',
        level: 'warning',
        message: `the known deviation ${idle.cases} of ${plugin.name} fits no case`,
      };
    }
    if (Object.keys(plugin.options).length > 0) {
      const text = Object.entries(plugin.options).map(([name, option]) => formatOptionArgument(name, option));
      yield { type: 'note', level: 'info', message: `create options of ${plugin.name}: ${text.join(' ')}` };
    }
  }
}

/** Cases that need no client first, then those that share one; the runner takes isolated ones last. */
const orderCases = (cases: readonly Case[]): Case[] => [
  ...cases.filter((c) => c.client === 'none'),
  ...cases.filter((c) => c.client !== 'none'),
];

/** Says of a failure that it is known, if plugins/known says so of this very case. */
function withDeviation(plugin: ResolvedPlugin, id: string, result: CaseResult): CaseResult {
  if (!['fail', 'warn', 'crash', 'timeout', 'flaky'].includes(result.status)) return result;
  const deviation = deviationFor(plugin.manifest, id);
  return deviation ? { ...result, knownDeviation: { reason: deviation.reason, evidence: deviation.evidence } } : result;
}
