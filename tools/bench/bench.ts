/**
 * `npm run bench [-- PLUGIN]`: speed of the harness, measured in one run on one machine. Compare ratios between machines, not
 * absolute figures. `npm run bench -- reports` measures only the reports of large logs and needs no plugin.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Event } from '../../harness/model/events.ts';
import { packagePath } from '../../harness/paths.ts';
import { readEvents } from '../../harness/report/index.ts';
import { scratchFolder } from '../../harness/scratch.ts';
import { measureCalls } from './native-call.ts';
import { peakBytes } from './process-cost.ts';
import { measureReport } from './report-command.ts';

const POLL_MS = 4;
const FIRST_RESULT_RUNS = 5;
const NODE_RUNS = 9;
const COMPUTE = ['compile', 'execute', 'numerics'];

interface Measured {
  firstResultMs: number;
  wallMs: number;
  exitCode: number;
  parentPeak: number;
  workerPeak: number;
  events: Event[];
}

/** Runs the built command and watches its event log grow. */
async function measureRun(args: readonly string[]): Promise<Measured> {
  const folder = scratchFolder('bench');
  const log = join(folder, 'events.jsonl');
  try {
    const began = performance.now();
    const child = spawn(process.execPath, [packagePath('dist', 'cli', 'main.js'), 'run', ...args, '--output', folder], {
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
    return {
      firstResultMs,
      wallMs: performance.now() - began,
      exitCode,
      parentPeak,
      workerPeak: Math.max(0, ...workerPeaks.values()),
      events: [...readEvents(log)],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
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
/** Limits for a large run. */
const GOAL = { seconds: 10, bytes: 400e6, growth: 11 };

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

await reports();
if (process.argv[2] === 'reports') process.exit();
const plugin = process.argv[2] ?? 'xla-cpu';

// The first run fetches and hashes, which is not measured.
await measureRun(['--plugin', plugin, '--tag', 'smoke', '--quiet']);

const first: number[] = [];
for (let i = 0; i < FIRST_RESULT_RUNS; i++) {
  first.push((await measureRun(['--plugin', plugin, '--quiet', '--tag', 'smoke'])).firstResultMs);
}
say('start to first result (warm cache, median)', `${median(first).toFixed(0)} ms`);

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
  `${beyondMs.toFixed(0)} ms, ${(beyondMs / leastMs).toFixed(2)} x an empty Node process with this plugin and a client (${leastMs.toFixed(0)} ms)`,
);

const full = await measureRun(['--plugin', plugin, '--quiet']);
const total = full.events.filter((e) => e.type === 'case').length;
say(
  'full run',
  `${(full.wallMs / 1000).toFixed(1)} s, ${total} cases, ${(total / (full.wallMs / 1000)).toFixed(0)} cases/s, exit code ${full.exitCode}`,
);
say('peak memory, parent', mb(full.parentPeak));
say('peak memory, worker', mb(full.workerPeak));
