import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packagePath } from '../../base/paths.ts';
import { openTrace } from '../../knowledge/trace/open-trace.ts';
import { callLines } from './calls.ts';
import { type TimelineEvent, timelineOf, writeTimeline } from './timeline.ts';

const SEGMENT = gunzipSync(readFileSync(packagePath('fixtures', 'traces', 'caller-1.0.bin.gz')));

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'timeline-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** @param segments one for each process */
function traceOf(name: string, ...segments: readonly Buffer[]) {
  const path = join(directory, name);
  for (const [i, segment] of segments.entries()) {
    mkdirSync(join(path, `pid-${7 + i}`), { recursive: true });
    writeFileSync(join(path, `pid-${7 + i}`, 'events-0001.bin'), segment);
  }
  writeFileSync(join(path, 'manifest.json'), JSON.stringify({ format: 'pjrt-conformance-trace', version: '1.0' }));
  return openTrace(path);
}

const of = (events: readonly TimelineEvent[], ph: TimelineEvent['ph']) => events.filter((event) => event.ph === ph);

describe('a whole recording', () => {
  let events: TimelineEvent[];
  beforeAll(() => {
    events = [...timelineOf(traceOf('whole', SEGMENT))];
  });

  test('every call and callback is a slice of its thread, and those of a thread lie in each other', () => {
    const lines = [...callLines(traceOf('again', SEGMENT))];
    const slices = of(events, 'X').filter(({ cat }) => cat !== 'plugin');
    const begun = lines.filter(({ event }) => event === 'enter' || event === 'callback');
    expect(slices.map(({ args }) => args!.order as number).sort((a, b) => a - b)).toEqual(
      begun.map(({ order }) => order),
    );
    expect(slices.length).toBeGreaterThan(10);
    for (const tid of new Set(slices.map((slice) => slice.tid))) {
      const ends: number[] = [];
      for (const { ts, dur } of slices.filter((slice) => slice.tid === tid).sort((a, b) => a.ts! - b.ts!)) {
        while (ends.length > 0 && ends.at(-1)! <= ts!) ends.pop();
        if (ends.length > 0) expect(ts! + dur!).toBeLessThanOrEqual(ends.at(-1)!);
        ends.push(ts! + dur!);
      }
    }
  });

  test('what executes and what is waited for is named by the program', () => {
    const executed = of(events, 'X').filter(({ name }) => name.startsWith('LoadedExecutable_Execute'));
    expect(executed.length).toBeGreaterThan(0);
    expect(new Set(executed.map(({ name }) => name))).toEqual(new Set(['LoadedExecutable_Execute twice']));
    expect(of(events, 'b').map(({ name }) => name)).toContain('twice: device_complete_events');
  });

  test('an event begins with the call that makes it, and ends once', () => {
    const begun = of(events, 'b');
    expect(begun.length).toBeGreaterThan(0);
    const ended = new Map(of(events, 'e').map((event) => [event.id2!.local, event]));
    expect(ended.size).toBe(begun.length);
    for (const { id2, name, ts } of begun) {
      const end = ended.get(id2!.local)!;
      expect(end.name).toBe(name);
      expect(end.ts!).toBeGreaterThanOrEqual(ts!);
      expect(end.args!['seen by']).toMatch(/^(Event_Await|Event_IsReady|its callback|nobody: it was destroyed)$/);
    }
  });

  test('buffers are counted from none to none', () => {
    const counts = of(events, 'C').map(({ args }) => args!.alive as number);
    expect(counts[0]).toBe(1);
    expect(counts.at(-1)).toBe(0);
    expect(Math.min(...counts)).toBe(0);
  });
});

test('a recording that was cut off: a call that did not return has no end, and what was awaited ends with it', () => {
  const { order } = [...callLines(traceOf('to-cut', SEGMENT))].find(
    ({ event, function: name }) => event === 'leave' && name === 'PJRT_LoadedExecutable_Execute',
  ) as { order?: number };
  const cut = Buffer.from(SEGMENT);
  cut.fill(0, offsetOf(cut, order!));
  const events = [...timelineOf(traceOf('cut', cut))];
  expect(of(events, 'B').map(({ name }) => name)).toEqual(['LoadedExecutable_Execute twice (did not return)']);
  expect(of(events, 'e').length).toBe(of(events, 'b').length);
});

test('an event of which nobody saw the end is over when its address is given again', () => {
  const blind = Buffer.from(SEGMENT);
  const ends = [...callLines(traceOf('to-blind', SEGMENT))].filter(
    ({ event, function: name }) =>
      event === 'callback' || (event === 'enter' && /^PJRT_Event_(Await|IsReady|Destroy)$/.test(name as string)),
  ) as { event: string; function: string; order: number }[];
  // All events get the address of the first; the event is behind the size and the extensions of the args struct, whose address is in front.
  const address = (order: number): Buffer => {
    const at = offsetOf(blind, order) + 48 + 8 + 16;
    return blind.subarray(at, at + 8);
  };
  const destroyed = ends.filter(({ function: name, event }) => event === 'enter' && name === 'PJRT_Event_Destroy');
  const [first, ...others] = destroyed.map(({ order }) => Buffer.from(address(order)));
  for (const other of others)
    for (let at = blind.indexOf(other); at >= 0; at = blind.indexOf(other, at)) blind.set(first!, at);
  // Readers leave out kinds of records that they do not know.
  for (const { order } of ends) blind.writeUInt16LE(99, offsetOf(blind, order) + 8);
  for (let at = 96; blind.readUInt32LE(at) > 0; at += blind.readUInt32LE(at))
    blind.writeUInt32LE(crc32(blind.subarray(at + 8, at + blind.readUInt32LE(at))), at + 4);
  const events = [...timelineOf(traceOf('blind', blind))];
  expect(of(events, 'b').length).toBeGreaterThan(1);
  expect(of(events, 'e').map(({ args }) => args!['seen by'])).toEqual(
    of(events, 'b').map((_, i, { length }) =>
      i < length - 1 ? 'nobody: its address was given again' : 'nobody: the recording ends',
    ),
  );
});

/** Where the record of this order begins: its head has the order at 16. */
function offsetOf(segment: Buffer, order: number): number {
  for (let at = 96; at + 48 <= segment.length; at += segment.readUInt32LE(at))
    if (segment.readBigUInt64LE(at + 16) === BigInt(order)) return at;
  throw new Error(`no record ${order}`);
}

test('two processes have one clock', () => {
  const later = Buffer.from(SEGMENT);
  // The process, and nanoseconds since 1970, in the head of the segment.
  later.writeUInt32LE(later.readUInt32LE(24) + 1, 24);
  later.writeBigUInt64LE(later.readBigUInt64LE(32) + 5_000_000n, 32);
  const events = [...timelineOf(traceOf('two', SEGMENT, later))];
  const first = (pid: number) =>
    Math.min(...of(events, 'X').flatMap((event) => (event.pid === pid ? [event.ts!] : [])));
  const [one, other] = [...new Set(events.map(({ pid }) => pid))] as [number, number];
  expect(first(other) - first(one)).toBeCloseTo(5000);
});

test('the file is JSON of the Trace Event Format', async () => {
  const output = join(directory, 'timeline.json');
  const trace = traceOf('written', SEGMENT);
  const { events, bytes } = await writeTimeline(trace, { output, shownOutput: 'timeline.json' });
  const text = readFileSync(output, 'utf8');
  expect(text).toHaveLength(bytes);
  const { traceEvents } = JSON.parse(text) as { traceEvents: TimelineEvent[] };
  expect(traceEvents).toHaveLength(events);
  expect(traceEvents.every(({ ph, pid, tid }) => 'XBbeCM'.includes(ph) && pid > 0 && tid > 0)).toBe(true);
  await expect(writeTimeline(trace, { output: directory, shownOutput: 'there' })).rejects.toThrow(
    /^there: it is no file/,
  );
});
