import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import type { CaseResult } from '../harness/model/case-result.ts';
import type { Event } from '../harness/model/events.ts';
import { type CliRun, cli, livingProcesses, PARENT_BYTES } from './support/cli.ts';
import {
  type CaseExpectation,
  caseDifferences,
  type Expectation,
  fits,
  hostileExpectations,
} from './support/expectation.ts';
import { buildHostile, HOSTILE_SAMPLE, hostileNames } from './support/hostile.ts';
import { validateJunit } from './support/junit-schemas.ts';
import { partOf } from './support/part.ts';

const SUITE = 'hostile';
const DEADLINES = [
  ...['--timeout-load', '5s', '--timeout-client', '5s', '--timeout-first', '3s'],
  ...['--timeout-call', '3s', '--timeout-case', '6s', '--timeout-exit', '3s'],
];
const PARALLEL = 2;

const expectations = hostileExpectations();
const { toy } = expectations;

test('every hostile plugin has an expectation', () => {
  expect(Object.keys(expectations).sort()).toEqual(hostileNames());
});

describe.concurrent('hostile plugins', () => {
  test.each(partOf(hostileNames(), HOSTILE_SAMPLE))('%s', { timeout: 180_000 }, async (name) => {
    await limited(() => check(name, expectations[name]!));
  });
});

async function check(name: string, expected: Expectation): Promise<void> {
  const plugin = await buildHostile(name);
  const run = await cli(['run', '--plugin', plugin, '--output', 'out', ...DEADLINES, ...selection(expected)]);
  expect(run.signal).toBeNull();
  expect(run.leftovers).toEqual([]);
  expectCompleteLog(run);
  const differences = differencesOf(run, expected);
  expect(differences, `${run.stdout}${run.stderr}`).toEqual([]);
  for (const part of expected.junit ?? []) expect(run.junit).toContain(part);
  validateJunit(run.junit);
  expect(run.stdout + run.stderr).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
  expect(run.stderr).toBe('');
  expect(run.stdout.length).toBeLessThan(64 << 10);
  expect(run.peakBytes).toBeLessThan(PARENT_BYTES);
  await expectNoProcessLeft(run.events);
}

/** The suite of this test, and single cases of others. */
function selection({ cases = {}, args = [] }: Expectation): string[] {
  const others = Object.keys(cases).filter((id) => id.includes(':'));
  return [
    ...['--suites', packagePath('tests', 'suites'), '--suite', SUITE, '--tests', `${SUITE}:*`],
    ...others.flatMap((id) => ['--suite', id.slice(0, id.indexOf(':')), '--tests', id]),
    ...(args.includes('--workers') ? [] : ['--workers', '1']),
    ...args,
  ];
}

function differencesOf(run: CliRun, expected: Expectation): string[] {
  const footer = run.events.at(-1) as Extract<Event, { type: 'footer' }>;
  const exits = typeof expected.exit === 'object' ? expected.exit.anyOf : [expected.exit];
  const differences: string[] = [];
  const differ = (what: string, actual: unknown, wanted: unknown): void => {
    differences.push(`${what} is ${JSON.stringify(actual)}, expected ${JSON.stringify(wanted)}`);
  };
  if (!exits.includes(run.exitCode as number)) differ('exit', run.exitCode, expected.exit);
  if (expected.verdict !== undefined && !fits(footer.verdict, expected.verdict))
    differ('verdict', footer.verdict, expected.verdict);
  differences.push(...failureDifferences(run, expected));
  const results = new Map(
    run.events.flatMap((e): [string, CaseResult][] => (e.type === 'case' ? [[e.id, e.result]] : [])),
  );
  for (const [id, wanted] of expectedCases(expected)) differences.push(...caseDifferences(id, results.get(id), wanted));
  for (const text of expected.said ?? []) {
    if (!run.events.some((e) => e.type === 'note' && e.level === 'info' && fits(e.message, text)))
      differences.push(`no remark ${JSON.stringify(text)}`);
  }
  differences.push(...noteDifferences(run, expected.notes ?? []));
  return differences;
}

function failureDifferences(run: CliRun, { failure: wanted }: Expectation): string[] {
  const failure = run.events.flatMap((e) => (e.type === 'plugin' ? [e.plugin.failure] : [])).at(-1);
  const same = wanted
    ? failure?.stage === wanted.stage && failure.code === wanted.code && fits(failure.message, wanted.message)
    : failure === undefined;
  return same ? [] : [`failure is ${JSON.stringify(failure)}, expected ${JSON.stringify(wanted)}`];
}

function expectedCases(expected: Expectation): Map<string, CaseExpectation> {
  const all = Object.entries(toy!.cases!).map(([id, usual]): [string, CaseExpectation] => [id, expected.rest ?? usual]);
  return new Map([...all, ...Object.entries(expected.cases ?? {})].map(([id, wanted]) => [fullId(id), wanted]));
}

const fullId = (id: string): string => (id.includes(':') ? id : `${SUITE}:${id}`);

function noteDifferences(run: CliRun, wanted: NonNullable<Expectation['notes']>): string[] {
  if (wanted === 'any') return [];
  const notes = run.events.flatMap((e) => (e.type === 'note' && e.level !== 'info' ? [e] : []));
  const fitting = (note: (typeof notes)[number], text: (typeof wanted)[number]): boolean =>
    typeof text === 'string'
      ? !note.breach && fits(note.message, text)
      : note.breach === true && fits(note.message, text.breach);
  const lost = wanted.filter((text) => !notes.some((note) => fitting(note, text)));
  const extra = notes.filter((note) => !wanted.some((text) => fitting(note, text)));
  return [
    ...lost.map((text) => `no note ${JSON.stringify(text)}`),
    ...extra.map((note) => `an unexpected note: ${JSON.stringify(note)}`),
  ];
}

/** The log is complete: a header, a result for every planned case, a footer; every failure has a reproduction command. */
function expectCompleteLog({ events, stdout, stderr, report, exitCode }: CliRun): void {
  expect(events.at(0)?.type, stdout + stderr).toBe('header');
  expect(events.at(-1)).toMatchObject({ type: 'footer', interrupted: false, exitCode });
  const planned = events.flatMap((e) => (e.type === 'suite' ? e.cases.map((c) => c.id) : []));
  const finished = events.flatMap((e) => (e.type === 'case' ? [e.id] : []));
  expect(finished.toSorted()).toEqual(planned.toSorted());
  for (const event of events) {
    if (event.type !== 'case') continue;
    const { status, findings, reason } = event.result;
    const silent = !['pass', 'skip', 'unsupported'].includes(status) && findings.length === 0;
    const unexplained = ['skip', 'unsupported'].includes(status) && !reason;
    expect([event.id, silent, unexplained]).toEqual([event.id, false, false]);
    expectTrace(event.id, event.result);
  }
  expect(report.complete).toBe(true);
  expect(stdout.trimEnd()).toMatch(new RegExp(`\\(exit code ${exitCode}\\)$`));
}

/** A case that did not pass has its last native calls; the one in which the process ended, if any, is marked. */
function expectTrace(id: string, { status, calls: count, trace, inFlight, findings }: CaseResult): void {
  const quiet = ['pass', 'unsupported', 'skip'].includes(status);
  const calls = trace?.calls ?? [];
  expect([id, (trace?.before ?? 0) + calls.length]).toEqual([id, quiet ? 0 : count]);
  const ends = calls.filter(({ answer }) => answer === 'DEATH' || answer === 'HANG').map(({ call }) => call);
  // After a call has returned, none is blamed for what follows.
  const inCall = findings.some(({ message }) => / in PJRT_|on another thread/.test(message));
  const expected = (status === 'crash' || status === 'timeout') && inCall ? [inFlight] : [];
  expect([id, ends]).toEqual([id, expected]);
}

/** The kernel takes a moment to remove a killed process group. */
async function expectNoProcessLeft(events: readonly Event[]): Promise<void> {
  for (let patience = 40; patience > 0 && livingProcesses(events).length > 0; patience--) await sleep(50);
  expect(livingProcesses(events)).toEqual([]);
}

let running = 0;
const waiting: (() => void)[] = [];

async function limited(work: () => Promise<void>): Promise<void> {
  if (running >= PARALLEL) await new Promise<void>((resolve) => waiting.push(resolve));
  else running++;
  try {
    await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}
