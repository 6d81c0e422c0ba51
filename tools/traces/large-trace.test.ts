import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { summarize } from '../../harness/commands/trace/summary.ts';
import { KIND } from '../../harness/knowledge/trace/format.ts';
import { openTrace, type Trace } from '../../harness/knowledge/trace/open-trace.ts';
import { PieceCursor } from '../../harness/knowledge/trace/segment.ts';
import { writeLargeTrace } from './large-trace.ts';

let directory: string;
let records: number;
let trace: Trace;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-large-'));
  records = writeLargeTrace(directory, 2_000_000);
  trace = openTrace(directory);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('it is read in the order of its records, of four threads', () => {
  const [process] = trace.processes;
  const orders = [...process!.records()].map(({ order }) => order);
  expect(orders).toEqual(Array.from({ length: records }, (_, i) => i + 1));
});

test('a summary is that of all records, of which it decodes few', () => {
  const all = [...trace.processes[0]!.records()];
  const kinds = (kind: number): number => all.filter((record) => record.kind === kind).length;
  const decoded = vi.spyOn(PieceCursor.prototype, 'record');
  const [summary] = summarize(trace).processes;
  expect(decoded.mock.calls.length).toBeLessThan(records / 20);
  expect(summary).toMatchObject({ records, calls: kinds(KIND.enter), threads: 4, compilations: 1, programs: 1 });
  expect(summary!.functions.reduce((sum, { calls }) => sum + calls, 0)).toBe(kinds(KIND.enter));
  expect(summary!.functions.every(({ open }) => open === 0)).toBe(true);
  const time = new Map(all.map((record) => [record.order, record.time]));
  const spent = all.filter(({ kind }) => kind === KIND.leave).map((record) => record.time - time.get(record.of)!);
  expect(summary!.functions.reduce((sum, { ns }) => sum + ns, 0)).toBe(spent.reduce((sum, ns) => sum + ns, 0));
  expect(summary!.read).toBe(4096 * kinds(KIND.data));
});
