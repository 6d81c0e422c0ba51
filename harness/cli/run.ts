import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { availableParallelism, hostname, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { NEWEST_MINOR } from '../abi/index.ts';
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
} from '../report/index.ts';
import { zeroCounts } from '../report/model.ts';
import type { LoadedSuite } from '../suite/load.ts';
import { parseShard } from '../suite/select.ts';
import type { Case } from '../suite/types.ts';
import { failsRun, weighingOf } from '../verdict/breach.ts';
import { verdict } from '../verdict/verdict.ts';
import type { Caller } from '../wire/caller.ts';
import { callerText } from './caller.ts';
import type { ConfigOptions } from './config/option.ts';
import { display } from './display.ts';
import { frameworkVerdict } from './framework-verdict.ts';
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
import { type ReportFileOptions, reportFiles, reportLines, writeReports } from './report-files.ts';
import { type SelectionOptions, selectedCases } from './selection.ts';
import { shellWords } from './shell-words.ts';
import type { Surroundings } from './surroundings.ts';
import { TOOL } from './version.ts';
import { wantsColor } from './wants-color.ts';

/** Options of `run` as commander gives them. */
export interface RunOptions extends SelectionOptions, PluginOptions, ReportFileOptions, ConfigOptions {
  events?: string;
  asApi?: Caller;
  maxFailures?: number;
  quiet?: boolean;
  verbose?: boolean;
  color?: boolean;
}

/**
 * `run`: resolves the plugins, runs the selected cases, writes the reports.
 * @returns the exit code
 */
export async function run(options: RunOptions, around: Surroundings): Promise<number> {
  const { suites, cases, profile, release } = await selectedCases(options);
  const profileName = release ? releaseName(release) : (options.profile ?? 'full');
  const caller: Caller = options.asApi ?? (release ? { minor: Math.min(release.release.minor, NEWEST_MINOR) } : {});
  const resolved = await resolveAll(options, around);
  const name = resolved.map((p) => p.name).join('+');
  const folder = resolve(around.cwd, options.output ?? join('reports', name));
  const files = reportFiles(options, folder, around.cwd);
  const log = new EventLog(resolve(around.cwd, options.events ?? join(folder, 'events.jsonl')));
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
  // Ends the run early: the user's interruption, or enough failures.
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  around.signal.addEventListener('abort', interrupt);
  let failures = 0;
  const emit = (event: Event): void => {
    log.write(event);
    applyEvent(state, event);
    reporter.event(event);
    if (event.type !== 'case' || options.maxFailures === undefined || stop.signal.aborted) return;
    if (failsRun(state.cases.get(event.id)!.plan, event.result, options)) failures++;
    if (failures < options.maxFailures) return;
    stop.abort();
    const words = `${failures} ${failures === 1 ? 'failure' : 'failures'}`;
    emit({ type: 'note', level: 'info', message: `stopped after ${words}, as --max-failures asks` });
  };

  const began = performance.now();
  emit(header(options, around, resolved, profileName, caller));
  const informative = (c: Case): boolean => release !== undefined && partOf(release, c) === 'told';
  for (const event of suiteEvents(suites, cases, around.cwd, informative)) emit(event);
  for (const note of planNotes(resolved, suites)) emit(note);
  let fault: unknown;
  try {
    await runPlan(
      {
        cases: orderCases(cases),
        plugins: resolved.map(wirePlugin),
        facts: resolved.map(startFacts),
        env: workerEnv(around.env, resolved),
        binding: options.binding,
        caller,
        clients: profile.clients,
        workers: workerCount(options, resolved),
        deadlines: deadlines(options, resolved),
        explainLoad,
        annotate: (id, result) => annotate(resolved[0]!, id, result),
        signal: stop.signal,
      },
      emit,
    );
    if (release && !stop.signal.aborted) {
      const told = await frameworkVerdict(options, around, resolved[0]!, release);
      if (told) emit({ type: 'framework', verdict: told });
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
  around.signal.removeEventListener('abort', interrupt);
  const interrupted = around.signal.aborted;
  const outcome = verdict(state, { ending: interrupted ? 'interrupted' : fault ? 'cut-off' : 'complete' });
  const notrun = state.cases.size - Object.values(state.counts).reduce((a, b) => a + b, 0) + state.counts.notrun;
  emit({
    type: 'footer',
    finishedAt: new Date().toISOString(),
    durationMs: Math.round(performance.now() - began),
    counts: { ...zeroCounts(), ...state.counts, notrun },
    exitCode: outcome.exitCode,
    verdict: outcome.line,
    interrupted,
  });
  log.close();
  await writeReports(state, files, options, around);
  const written = [['events', log.path], ...files.map(({ format, path }) => [format.name, path])] as [string, string][];
  reporter.close(reportLines(written, around.cwd));
  return outcome.exitCode;
}

function header(
  options: RunOptions,
  around: Surroundings,
  resolved: readonly ResolvedPlugin[],
  profile: string,
  caller: Caller,
): Event {
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
): Generator<Event> {
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
      sha256: createHash('sha256').update(readFileSync(suite.file)).digest('hex'),
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
function annotate(plugin: ResolvedPlugin, id: string, result: CaseResult): CaseResult {
  if (!['fail', 'warn', 'crash', 'timeout'].includes(result.status)) return result;
  const deviation = deviationFor(plugin.manifest, id);
  return deviation ? { ...result, knownDeviation: { reason: deviation.reason, evidence: deviation.evidence } } : result;
}
