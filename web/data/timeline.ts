import type { HtmlHead } from '../../harness/report/html-data.ts';
import type { Row } from './report.ts';

type WorkerEvent = HtmlHead['workers'][number];

/** One worker process: its lifetime, its cases, its end. */
export interface Worker {
  number: number;
  pid?: number;
  fromMs: number;
  toMs: number;
  /** In starting order. */
  rows: Row[];
  exit?: WorkerEvent;
  /** Row in the timeline: a worker that replaces another one reuses its row. */
  lane: number;
}

export interface Timeline {
  workers: Worker[];
  lanes: number;
  endMs: number;
}

/** The workers of a run, and the minimum number of rows without overlaps. */
export function timelineOf(rows: readonly Row[], events: readonly WorkerEvent[], durationMs: number): Timeline {
  const workers = new Map<number, Worker>();
  const workerOf = (number: number, atMs: number): Worker => {
    const known = workers.get(number);
    if (known) return known;
    const worker: Worker = { number, fromMs: atMs, toMs: atMs, rows: [], lane: 0 };
    workers.set(number, worker);
    return worker;
  };
  for (const event of events) {
    const worker = workerOf(event.worker, event.atMs);
    worker.toMs = Math.max(worker.toMs, event.atMs);
    if (event.what === 'start') worker.pid = event.pid;
    else worker.exit = event;
  }
  for (const row of rows) {
    if (row.worker === null || row.startMs === null) continue;
    const worker = workerOf(row.worker, row.startMs);
    worker.fromMs = Math.min(worker.fromMs, row.startMs);
    worker.toMs = Math.max(worker.toMs, row.endMs ?? row.startMs);
    worker.rows.push(row);
  }
  const sorted = [...workers.values()].sort((a, b) => a.fromMs - b.fromMs || a.number - b.number);
  const ends: number[] = [];
  for (const worker of sorted) {
    worker.rows.sort((a, b) => a.startMs! - b.startMs!);
    const free = ends.findIndex((end) => end <= worker.fromMs);
    worker.lane = free === -1 ? ends.length : free;
    ends[worker.lane] = worker.toMs;
  }
  return {
    workers: sorted,
    lanes: ends.length,
    endMs: sorted.reduce((end, { toMs }) => Math.max(end, toMs), durationMs),
  };
}

/** Milliseconds between the marks of a time axis: 1, 2 or 5 times a power of ten, about `marks` of them. */
export function tick(spanMs: number, marks: number): number {
  const raw = spanMs / marks;
  const power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= raw) ?? raw;
}
