// Speed of the harness, measured in one run on one machine. Compare ratios between machines, not absolute figures.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { packagePath } from '../../harness/base/paths.ts';
import { scratchDirectory } from '../../harness/base/scratch.ts';
import { UsageError } from '../../harness/base/usage-error.ts';
import type { Event } from '../../harness/model/events.ts';
import { readEvents } from '../../harness/report/index.ts';
import { runTool } from '../run-tool.ts';
import { whyNoSlurm } from '../slurm/one-node.ts';
import { measureComparison } from './comparison.ts';
import { measureFleet } from './fleet.ts';
import { measureCalls } from './native-call.ts';
import { peakBytes } from './process-cost.ts';
import { MODES, measureRecorder } from './recorder.ts';
import { measureReport } from './report-command.ts';
import { measureTraceSummary } from './trace-summary.ts';

const USAGE = `usage: bench [fleet | record] [--plugin PLUGIN] [--suite ID]... [--reports] [--beside DIR]
  fleet      only the full run as an array of Slurm, and beside it one process with as many workers
  record     only \`trace show\` of a large recording, and what \`record\` costs a training in JAX on the plugin, mode by
             mode in one process
  --suite    of fleet: only this suite
  --plugin   the plugin whose runs are measured (default: xla-cpu)
  --reports  only the reports of large logs, which need no plugin
  --beside   only the wall time of full runs, this checkout and another built one by turns, and their ratio`;

const MAIN = join('dist', 'cli', 'main.js');
const POLL_MS = 4;
const FIRST_RESULT_RUNS = 5;
const NODE_RUNS = 9;
const TURNS = 3;
const COMPUTE = ['compile', 'execute', 'numerics'];

interface Measured {
  firstResultMs: number;
  wallMs: number;
  exitCode: number;
  parentPeak: number;
  workerPeak: number;
  events: Event[];
}

/** Runs a built command and watches its event log grow. */
async function measureRun(args: readonly string[], main = packagePath(MAIN)): Promise<Measured> {
  const directory = scratchDirectory('bench');
  const log = join(directory, 'events.jsonl');
  try {
    const began = performance.now();
    const child = spawn(process.execPath, [main, 'run', ...args, '--output', directory], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    let firstResultMs = Number.NaN;
    let parentPeak = 0;
    const workerPeaks = new Map<number, number>();
    const poll = setInterval(() => {
      parentPeak = Math.max(parentPeak, peakBytes(child.pid!));
      if (!existsSync(log)) return;
      const text = Number.isNaN(firstResultMs) ? readFileSync(log, 'utf8') : '';
      if (text.includes('\n{"type":"case"')) firstResultMs = performance.now() - began;
      for (const [, pid] of text.matchAll(/"what":"start","pid":(\d+)/g)) workerPeaks.set(Number(pid), 0);
      for (const [pid, peak] of workerPeaks) workerPeaks.set(pid, Math.max(peak, peakBytes(pid)));
    }, POLL_MS);
    const exitCode = await new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? -1)));
    clearInterval(poll);
    if (!existsSync(log)) throw new UsageError(`bench: nothing ran (exit code ${exitCode})`);
    return {
      firstResultMs,
      wallMs: performance.now() - began,
      exitCode,
      parentPeak,
      workerPeak: Math.max(0, ...workerPeaks.values()),
      events: [...readEvents(log)],
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Wall time of a Node process that does nothing. */
function emptyNodeMs(): number {
  const began = performance.now();
  spawnSync(process.execPath, ['-e', '0']);
  return performance.now() - began;
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!;
const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;

/**
 * Share of the plugin's own calls in the wall time between the first start and the last result of the shared worker; and the
 * cost of a case in a process of its own, from the start of the process to its end, with and without the case itself.
 */
function nativeShare(events: readonly Event[]): {
  share: number;
  cases: number;
  processMs: number;
  beyondMs: number;
  processes: number;
} {
  const results = events.filter((e) => e.type === 'case').filter((e) => e.result.status !== 'skip');
  const byWorker = [...new Set(results.map((e) => e.worker))].map((w) => results.filter((e) => e.worker === w));
  const shared = byWorker.reduce((a, b) => (b.length > a.length ? b : a));
  const alone = byWorker.filter((cases) => cases.length === 1).map((cases) => cases[0]!);
  const own = new Set(alone.map((e) => e.worker));
  const work = alone.reduce((sum, e) => sum + e.result.durationMs, 0);
  const started = events.find((e) => e.type === 'start' && e.worker === shared[0]!.worker) as { atMs: number };
  const native = shared.reduce((sum, e) => sum + e.result.nativeMs, 0);
  const ownEvents = events.filter((e) => e.type === 'worker').filter((e) => own.has(e.worker));
  const lifetime = ownEvents.reduce((sum, e) => sum + (e.what === 'exit' ? e.atMs : -e.atMs), 0);
  return {
    share: native / (shared.at(-1)!.atMs - started.atMs),
    cases: shared.length,
    processMs: lifetime / own.size,
    beyondMs: (lifetime - work) / own.size,
    processes: own.size,
  };
}

const say = (name: string, value: string): void => void process.stdout.write(`${name.padEnd(44)} ${value}\n`);

const BIG = 100_000;
/** Reports of a large run: wall time, memory, and growth from a tenth of it. */
const GOAL = { seconds: 5, bytes: 250e6, growth: 11 };
/** Ratios to what is measured beside them, and memory in a full run. */
const AT_MOST = { firstResult: 5, ownProcess: 1.5, parentBytes: 100e6, workerBytes: 450e6 };

const goal = (value: number, most: number, text = `${most} x`): string =>
  `(goal: ${text} at most, ${value <= most ? 'held' : 'MISSED'})`;
const memory = (bytes: number, most: number): string => `${mb(bytes)} ${goal(bytes, most, mb(most))}`;

async function reports(): Promise<void> {
  const small = await measureReport(BIG / 10);
  const big = await measureReport(BIG);
  for (const [cases, { wallMs, processorMs, peakBytes, logBytes }] of [
    [BIG / 10, small],
    [BIG, big],
  ] as const) {
    say(
      `reports of ${cases} cases (log of ${mb(logBytes)})`,
      `${(wallMs / 1000).toFixed(2)} s (processor ${(processorMs / 1000).toFixed(2)} s), peak memory ${mb(peakBytes)}`,
    );
  }
  say(
    '10 times the cases',
    `${(big.wallMs / small.wallMs).toFixed(1)} times the time, ${(big.processorMs / small.processorMs).toFixed(1)} of the processor (goal: ${GOAL.growth} at most)`,
  );
  const held = big.wallMs <= GOAL.seconds * 1000 && big.peakBytes <= GOAL.bytes;
  say(`goal of ${GOAL.seconds} s and ${mb(GOAL.bytes)}`, held ? 'held' : 'MISSED');
}

/** The first run of a checkout fetches and hashes, which is not measured. */
const warmUp = (plugin: string, main?: string) => measureRun(['--plugin', plugin, '--tag', 'smoke', '--quiet'], main);

async function beside(plugin: string, directory: string): Promise<void> {
  const mains = [packagePath(MAIN), resolve(directory, MAIN)] as const;
  if (!existsSync(mains[1]))
    throw new UsageError(`bench: --beside: ${mains[1]} is missing; run \`npm run build\` there`);
  for (const main of mains) await warmUp(plugin, main);
  const seconds: [number[], number[]] = [[], []];
  const cases = [0, 0];
  for (let turn = 0; turn < TURNS; turn++) {
    for (const i of [0, 1] as const) {
      const run = await measureRun(['--plugin', plugin, '--quiet'], mains[i]);
      seconds[i].push(run.wallMs / 1000);
      cases[i] = run.events.filter((e) => e.type === 'case').length;
    }
  }
  for (const [i, name] of ['full run, this checkout', 'full run, the other one'].entries())
    say(name, `${seconds[i]!.map((s) => s.toFixed(1)).join(', ')} s, ${cases[i]} cases`);
  say('ratio of the medians', (median(seconds[0]) / median(seconds[1])).toFixed(2));
}

async function everything(plugin: string): Promise<void> {
  await warmUp(plugin);

  const within = { ulp: 3, source: 'bench' };
  const million = (perSecond: number): string => `${(perSecond / 1e6).toFixed(0)} million elements a second`;
  for (const type of ['f32', 'bf16', 'f16', 'f64', 'c64'])
    say(`comparison, ${type}, each within 3 ULP`, million(measureComparison(type, within)));
  say('comparison, f32, the same bits', million(measureComparison('f32', 'bits')));

  const first: number[] = [];
  const empty: number[] = [];
  for (let i = 0; i < FIRST_RESULT_RUNS; i++) {
    empty.push(emptyNodeMs());
    first.push((await measureRun(['--plugin', plugin, '--quiet', '--tag', 'smoke'])).firstResultMs);
  }
  const ratio = median(first) / median(empty);
  say(
    'start to first result (warm cache, median)',
    `${median(first).toFixed(0)} ms, ${ratio.toFixed(1)} x an empty Node process (${median(empty).toFixed(0)} ms) ${goal(ratio, AT_MOST.firstResult)}`,
  );

  const calls = await measureCalls(plugin);
  say('native call, bare koffi', `${calls.bareNs.toFixed(0)} ns`);
  say(
    'native call, object model',
    `${calls.modelNs.toFixed(0)} ns (${(calls.modelNs / calls.bareNs).toFixed(1)} x bare)`,
  );

  const compute = await measureRun([
    '--plugin',
    plugin,
    '--workers',
    '1',
    '--quiet',
    ...COMPUTE.flatMap((suite) => ['--suite', suite]),
  ]);
  const { share, cases, processMs, beyondMs, processes } = nativeShare(compute.events);
  say('plugin share of a worker, compile and execute', `${(100 * share).toFixed(1)} % over ${cases} cases`);
  say('a case in a process of its own', `${processMs.toFixed(0)} ms, mean of ${processes}`);
  const leastMs = median(Array.from({ length: NODE_RUNS }, emptyNodeMs)) + calls.clientMs;
  say(
    'beyond the case itself',
    `${beyondMs.toFixed(0)} ms, ${(beyondMs / leastMs).toFixed(2)} x an empty Node process with this plugin and a client (${leastMs.toFixed(0)} ms) ${goal(beyondMs / leastMs, AT_MOST.ownProcess)}`,
  );

  const full = await measureRun(['--plugin', plugin, '--quiet']);
  const total = full.events.filter((e) => e.type === 'case').length;
  say(
    'full run',
    `${(full.wallMs / 1000).toFixed(1)} s, ${total} cases, ${(total / (full.wallMs / 1000)).toFixed(0)} cases/s, exit code ${full.exitCode}`,
  );
  say('peak memory, parent', memory(full.parentPeak, AT_MOST.parentBytes));
  say('peak memory, worker', memory(full.workerPeak, AT_MOST.workerBytes));
}

async function fleet(plugin: string, suites: readonly string[]): Promise<boolean> {
  const why = whyNoSlurm();
  if (why !== undefined) {
    say('fleet', `skipped: ${why}`);
    return true;
  }
  await warmUp(plugin);
  const { tasks, wholes, arrays } = await measureFleet(
    plugin,
    suites.flatMap((suite) => ['--suite', suite]),
  );
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  const { cases, footer } = wholes[0].run;
  const wholeMs = (wholes[0].wallMs + wholes[1].wallMs) / 2;
  say(
    `one process, ${tasks} workers`,
    `${wholes.map(({ wallMs }) => seconds(wallMs)).join(' before, ')} after, ${cases.size} cases, exit code ${footer!.exitCode}`,
  );
  for (const { how, array, differences } of arrays) {
    const balance = array.busyMs / tasks / array.wallMs;
    say(
      `array of ${tasks} tasks, shards ${how}`,
      `${seconds(array.wallMs)}, efficiency ${(wholeMs / array.wallMs).toFixed(2)}, balance ${balance.toFixed(2)}, exit code ${array.run.footer!.exitCode}`,
    );
    say(
      'its merged report, case by case',
      differences.length === 0
        ? 'as that of one process'
        : `DIFFERS in ${differences.length}: ${differences.join(', ')}`,
    );
  }
  return arrays.every(({ differences }) => differences.length === 0);
}

/** Of `trace show` of a gigabyte. */
const SUMMARY_AT_MOST = { processorMs: 5000, bytes: 150e6 };

async function recording(plugin: string): Promise<void> {
  const { records, processorMs, peakBytes: peak } = await measureTraceSummary();
  const seconds = (processorMs / 1000).toFixed(1);
  say(
    `trace show, 1 GB, ${(records / 1e6).toFixed(1)} million records`,
    `${seconds} s of processor time ${goal(processorMs, SUMMARY_AT_MOST.processorMs, '5 s')}, ${memory(peak, SUMMARY_AT_MOST.bytes)}`,
  );
  const { blocks, costs } = await measureRecorder(plugin);
  for (const mode of MODES) {
    for (const [kind, what] of [
      ['thread', 'the dispatching thread'],
      ['process', 'the process'],
    ] as const) {
      const [ratio, most] = [costs[mode.name][kind], mode.most[kind]];
      say(
        `record, ${mode.what}: ${what}`,
        `${ratio.toFixed(3)} x its processor time without, median of ${blocks} blocks ${goal(ratio, most)}`,
      );
    }
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    plugin: { type: 'string', default: 'xla-cpu' },
    reports: { type: 'boolean', default: false },
    beside: { type: 'string' },
    suite: { type: 'string', multiple: true, default: [] },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
await runTool(USAGE, values.help, async () => {
  if (positionals[0] === 'fleet') return fleet(values.plugin, values.suite);
  if (positionals.length > 0 && positionals[0] !== 'record')
    throw new UsageError(`bench: ${positionals[0]}: expected fleet, record, or options`);
  if (positionals[0] === 'record') await recording(values.plugin);
  else if (values.beside !== undefined) await beside(values.plugin, values.beside);
  else {
    await reports();
    if (!values.reports) await everything(values.plugin);
  }
  return true;
});
