import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTrace, type Trace } from './open-trace.ts';
import { sessionFile } from './session-files.ts';
import { callsOf, closed, type SessionCall } from './session-graph.ts';
import { type RecordedSession, sessionsOf } from './sessions.ts';
import { traceDirectory } from './trace-directory.ts';
import { writeSession } from './write-session.ts';

let directory: string;
let path: string;
let trace: Trace;
let session: RecordedSession;
let calls: SessionCall[];
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-part-'));
  path = await traceDirectory(sessionFile('jax-0.10.2-train'));
  trace = openTrace(path);
  [session] = trace.processes.flatMap(sessionsOf) as [RecordedSession];
  calls = callsOf(session);
});
afterAll(() => rmSync(directory, { recursive: true }));

const named = (orders: readonly number[]): string[] => {
  const names = new Map(calls.map(({ order, function: name }) => [order, name]));
  return orders.map((order) => names.get(order)!);
};

test('an execution needs its client, device, program and arguments, and what ends those', () => {
  const last = calls.findLast(({ function: name }) => name === 'PJRT_LoadedExecutable_Execute')!;
  const part = closed(calls, [last.order]);
  expect(part.length).toBeLessThan(calls.length / 3);
  const names = named(part);
  for (const name of [
    'PJRT_Client_Create',
    'PJRT_Client_Compile',
    'PJRT_Client_BufferFromHostBuffer',
    'PJRT_Buffer_Destroy',
  ])
    expect(names).toContain(name);
  // Nothing that only asks, but for what gives devices.
  expect(names).not.toContain('PJRT_Buffer_Dimensions');
  expect(names.filter((name) => name === 'PJRT_LoadedExecutable_Execute').length).toBeGreaterThan(1);
});

test('a part keeps what says which device and which memory is meant', () => {
  const last = calls.findLast(({ function: name }) => name === 'PJRT_LoadedExecutable_Execute')!;
  const names = named(closed(calls, [last.order]));
  const times = (name: string): number => names.filter((one) => one === name).length;
  // Programs are compiled for one device, and one memory is given.
  expect([times('PJRT_DeviceDescription_Id'), times('PJRT_Memory_Kind')]).toEqual([1, 1]);
});

test('a part is whole, whatever is wanted', () => {
  for (let i = 0; i < calls.length; i += 97) {
    const part = closed(calls, [calls[i]!.order]);
    const kept = new Set(part);
    const missing = calls.filter(({ order, needs }) => kept.has(order) && needs.some((one) => !kept.has(one)));
    expect(missing).toEqual([]);
    expect(closed(calls, part)).toEqual(part);
  }
});

test('what is filled stays with what it is filled with, and what ends an object goes with it', () => {
  const line = (order: number, name: string, needs: number[], follows = false): SessionCall => ({
    order,
    function: name,
    needs,
    follows,
  });
  const made = [
    line(1, 'create', []),
    line(2, 'manager', [1]),
    line(3, 'transfer', [2], true),
    line(4, 'retrieve', [2]),
    line(5, 'other', [1]),
    line(6, 'end of other', [5], true),
    line(7, 'end of manager', [2], true),
  ];
  expect(closed(made, [4])).toEqual([1, 2, 3, 4, 7]);
  expect(closed(made, [4], 4)).toEqual([1, 2, 3, 4]);
  expect(closed(made, [])).toEqual([]);
});

test('a part that is written has its calls, and all that was recorded of them', () => {
  const whole = join(directory, 'whole');
  const all = calls.map(({ order }) => order);
  writeSession({ trace, path, session }, all, whole);
  const [copy] = openTrace(whole).processes.flatMap(sessionsOf);
  const { process: _, ns, ...rest } = session;
  expect(copy).toMatchObject(rest);
  expect(callsOf(copy!)).toEqual(calls);

  const some = closed(calls, [all[all.length >> 1]!]);
  const part = join(directory, 'part');
  writeSession({ trace, path, session }, some, part);
  const opened = openTrace(part);
  const [left] = opened.processes.flatMap(sessionsOf);
  expect([callsOf(left!).map(({ order }) => order), opened.manifest.part]).toEqual([
    some,
    { calls: some.length, of: session.calls },
  ]);
});
