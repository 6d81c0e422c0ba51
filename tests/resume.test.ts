import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import type { Event } from '../harness/model/events.ts';
import { foldRun, type Run } from '../harness/model/run.ts';
import { type JsonReport, lockLog, readEvents, recoverLog } from '../harness/report/index.ts';
import { livingProcesses, quietEnvironment } from './support/cli.ts';
import { buildHostile } from './support/hostile.ts';

/** Number of kills of the harness; `npm run check:kill` does a hundred. */
const KILLS = Number(process.env.PJRT_KILLS ?? 4);
const SEED = Number(process.env.PJRT_KILL_SEED ?? 1);

const MAIN = packagePath('dist', 'cli', 'main.js');

/** Many short cases in addition to those of the hostile suite, so that kills occur between, before and during cases. */
const SHORT = `suite: short
description: Short cases.
cases:
  - id: attributes
    description: Attributes can be read.
    covers: [PLG-ATT-001]
    client: none
    matrix: { n: [${Array.from({ length: 60 }, (_, n) => n).join(', ')}] }
    steps:
      - call: PJRT_Plugin_Attributes
`;

let directory: string;
let selection: string[];
let undisturbed: { verdicts: Verdicts; exitCode: number | null; bytes: number };

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-kill-'));
  mkdirSync(join(directory, 'suites'));
  writeFileSync(join(directory, 'suites', 'short.yaml'), SHORT);
  const plugin = await buildHostile('segv-in-compile');
  const suites = ['--suites', join(directory, 'suites'), '--suites', packagePath('tests', 'suites')];
  selection = ['--plugin', plugin, ...suites, '--suite', 'short', '--suite', 'hostile', '--workers', '2'];
  const { exitCode } = await command(['run', ...selection, '--output', 'whole']).ended;
  undisturbed = { ...endOf('whole'), exitCode, bytes: statSync(join(directory, 'whole', 'events.jsonl')).size };
  expect(exitCode).toBe(1);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

type Verdicts = Record<string, unknown>;

/** What must be the same whether the run was disturbed or not. */
const verdictsOf = (run: Run): Verdicts =>
  Object.fromEntries(
    [...run.cases.values()].map(({ plan, result }) => [
      plan.id,
      [result?.status, result?.reason, result?.findings.map(({ message }) => message)],
    ]),
  );

function endOf(output: string): { verdicts: Verdicts } {
  return { verdicts: verdictsOf(foldRun(readEvents(join(directory, output, 'events.jsonl')))) };
}

interface Started {
  child: ChildProcess;
  ended: Promise<{ exitCode: number | null; signal: NodeJS.Signals | null; text: string }>;
}

function command(args: readonly string[]): Started {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: directory,
    env: { ...quietEnvironment(), TMPDIR: directory },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (text += chunk));
  const ended = new Promise<Awaited<Started['ended']>>((resolve) =>
    child.on('close', (exitCode, signal) => resolve({ exitCode, signal, text })),
  );
  return { child, ended };
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Size of a log; one that has its footer counts as complete, whatever its size. */
function progressOf(log: string): number {
  if (!existsSync(log)) return 0;
  const text = readFileSync(log, 'latin1');
  return text.slice(-4096).includes('\n{"type":"footer"') ? Number.POSITIVE_INFINITY : text.length;
}

/** Kills at a random moment: at the start, at a certain size of the log, or while reports are written. */
async function disturb({ child, ended }: Started, output: string, random: () => number): Promise<boolean> {
  const log = join(directory, output, 'events.jsonl');
  const kind = random();
  const goal = kind < 0.2 ? 0 : kind < 0.8 ? random() * undisturbed.bytes : Number.POSITIVE_INFINITY;
  const wait = random() * (kind < 0.2 ? 500 : 30);
  let over = false;
  void ended.then(() => (over = true));
  while (!over && progressOf(log) < goal) await new Promise((go) => setTimeout(go, 1));
  await Promise.race([ended, new Promise((go) => setTimeout(go, wait))]);
  child.kill('SIGKILL');
  return (await ended).signal === 'SIGKILL';
}

/** Checks the state after a kill: a readable log or none, reports that are complete or absent. */
function leftBy(output: string): Event[] {
  const file = (name: string): string => join(directory, output, name);
  if (existsSync(file('report.json'))) JSON.parse(readFileSync(file('report.json'), 'utf8'));
  if (existsSync(file('junit.xml'))) expect(readFileSync(file('junit.xml'), 'utf8')).toMatch(/<\/testsuites>\n$/);
  const log = file('events.jsonl');
  if (!existsSync(log) || statSync(log).size === 0) return [];
  const events = [...readEvents(log)];
  expect(foldRun(events).faults).toEqual([]);
  return events;
}

const resultsOf = (events: readonly Event[]): Map<string, string> =>
  new Map(events.flatMap((event) => (event.type === 'case' ? [[event.id, JSON.stringify(event)]] : [])));

test(
  `runs that are killed ${KILLS} times at random moments end as if undisturbed (seed ${SEED})`,
  async () => {
    const random = randomOf(SEED);
    const seen = {
      runs: 0,
      kills: 0,
      inResume: 0,
      beforeTheLog: 0,
      beforeAResult: 0,
      inTheMiddle: 0,
      afterTheFooter: 0,
    };
    for (let round = 1; seen.kills < KILLS; round++) {
      seen.runs++;
      const output = `run${round}`;
      const log = join(directory, output, 'events.jsonl');
      let results = new Map<string, string>();
      let begun = false;
      for (let killed = true; killed; ) {
        const started = command(begun ? ['run', '--resume', output] : ['run', ...selection, '--output', output]);
        killed = (seen.inResume === 0 || random() < 0.4 || !begun) && (await disturb(started, output, random));
        const { exitCode, text } = await started.ended;
        if (!killed) expect([round, exitCode, text]).toEqual([round, undisturbed.exitCode, expect.anything()]);
        const events = leftBy(output);
        const now = resultsOf(events);
        for (const [id, result] of results) expect(now.get(id), `round ${round}: the result of ${id}`).toBe(result);
        results = now;
        if (killed) {
          seen.kills++;
          if (begun) seen.inResume++;
          if (events.length === 0) seen.beforeTheLog++;
          else if (events.at(-1)!.type === 'footer') seen.afterTheFooter++;
          else if (now.size === 0) seen.beforeAResult++;
          else seen.inTheMiddle++;
        }
        begun = events.length > 0;
      }
      const { events, footer, tornBytes } = recoverLog(log);
      const run = foldRun(events);
      expect(verdictsOf(run), `round ${round}`).toEqual(undisturbed.verdicts);
      expect([footer?.exitCode, footer?.counts, tornBytes]).toEqual([undisturbed.exitCode, run.counts, 0]);
      const times = events.flatMap((event) => ('atMs' in event ? [event.atMs] : []));
      expect(times).toEqual([...times].sort((a, b) => a - b));
      if (seen.runs % 10 === 0) console.log(`so far: ${JSON.stringify(seen)}`);
      const report = JSON.parse(readFileSync(join(directory, output, 'report.json'), 'utf8')) as JsonReport;
      expect(report.summary).toMatchObject(run.counts);
      expect(readdirSync(join(directory, output)).sort()).toEqual(['events.jsonl', 'junit.xml', 'report.json']);
      expect(livingProcesses(events)).toEqual([]);
    }
    console.log(`killed: ${JSON.stringify(seen)}`);
  },
  KILLS * 60_000,
);

describe('a resumed run', () => {
  /** The log of the undisturbed run as a kill after this many lines would have left it. */
  function cutOff(output: string, lines: number, edit: (text: string) => string = (text) => text): string {
    const text = readFileSync(join(directory, 'whole', 'events.jsonl'), 'utf8');
    mkdirSync(join(directory, output), { recursive: true });
    const log = join(directory, output, 'events.jsonl');
    writeFileSync(log, edit(`${text.split('\n').slice(0, lines).join('\n')}\n`));
    return log;
  }
  const resumed = (output: string, ...args: string[]) => command(['run', '--resume', output, ...args]).ended;

  test('is rejected if it would not be the same run', async () => {
    expect((await resumed('nowhere')).text).toBe(
      'error: --resume nowhere: there is no such file; expected the log of a run, or its directory\n',
    );
    expect(existsSync(join(directory, 'nowhere'))).toBe(false);
    cutOff('a', 30);
    const lines = async (...args: string[]) => (await resumed('a', ...args)).text;
    expect(await lines('--tests', 'x*')).toMatch(
      /^error: --tests: .* the run was started without --tests; omit the option/,
    );
    cutOff('a', 30, (text) =>
      text.replace(/"sha256":"[0-9a-f]{64}","sizeBytes"/, `"sha256":"${'0'.repeat(64)}","sizeBytes"`),
    );
    expect(await lines()).toMatch(/segv-in-compile\.so has changed: sha256 0{64} then, [0-9a-f]{64} now/);
    cutOff('a', 30, (text) => text.replace('"call":60000', '"call":1'));
    expect(await lines()).toContain('"first":300000,"call":1,');
    cutOff('a', 30, (text) => text.replace('"version":"0.', '"version":"9.'));
    expect(await lines()).toMatch(/started with version 9\.\S+, this is \S+; use that one: npx pjrt-conformance@9\./);
    cutOff('a', 30, (text) => text.replace(/,"invocation":.*$/m, '}'));
    expect(await lines()).toContain('this log does not record how the run was started');
    writeFileSync(join(directory, 'suites', 'short.yaml'), SHORT.replace('Short cases.', 'Others.'));
    cutOff('a', 30);
    expect(await lines()).toMatch(/short\.yaml has changed: sha256 [0-9a-f]{64} then/);
    writeFileSync(join(directory, 'suites', 'short.yaml'), SHORT);
    expect((await resumed('a', ...selection, '--workers', '1', '--quiet')).exitCode).toBe(1);
  });

  test('says so if nothing is missing, and ends as before', async () => {
    rmSync(join(directory, 'a', 'report.json'));
    const { exitCode, text } = await resumed('a', '--quiet');
    expect([exitCode, text]).toEqual([1, expect.stringMatching(/^the run is complete: 71 of 71 cases have a result/)]);
    expect(existsSync(join(directory, 'a', 'report.json'))).toBe(true);
  });

  test('a log that is being written is locked', async () => {
    const log = cutOff('b', 30);
    const lock = await lockLog(log);
    expect((await resumed('b')).text).toMatch(/^error: .*events\.jsonl: another pjrt-conformance is writing this log/);
    expect((await command(['run', ...selection, '--output', 'b']).ended).exitCode).toBe(2);
    await lock.release();
  });

  test('a new run in its place keeps its log', async () => {
    const one = ['run', ...selection, '--tests', 'short:attributes[n=1]', '--output', 'b'];
    const { exitCode, text } = await command(one).ended;
    expect([exitCode, text]).toEqual([0, expect.stringContaining('is now in b/previous; to resume it: ')]);
    expect((await command([...one, '--events', 'suites/short.yaml']).ended).text).toContain(
      'suites/short.yaml: this file is not an event log and is not overwritten',
    );
  });
});
