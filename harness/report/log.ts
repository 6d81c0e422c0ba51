import { closeSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { EVENTS_VERSION, type Event } from './events.ts';
import { EVENT_TYPES, eventFault } from './validate-event.ts';

/** The log cannot be written, or is not a log: the message says where (`file:line`) and what to do. */
export class EventLogError extends Error {
  override name = 'EventLogError';
}

/** Appends events to a new file, one JSON line each. Nothing is buffered: a kill loses at most the line being written. */
export class EventLog {
  readonly path: string;
  #fd: number | undefined;
  #empty = true;

  constructor(path: string) {
    this.path = path;
    try {
      mkdirSync(dirname(path), { recursive: true });
      this.#fd = openSync(path, 'w');
    } catch (cause) {
      throw new EventLogError(`${path}: the event log cannot be created: ${reason(cause)}`, { cause });
    }
  }

  write(event: Event): void {
    if (this.#fd === undefined) throw new EventLogError(`${this.path}: the event log is closed`);
    if (this.#empty !== (event.type === 'header')) {
      throw new EventLogError(`${this.path}: the header must be the first event of the log and the only header`);
    }
    const bytes = Buffer.from(`${JSON.stringify(event)}\n`, 'utf8');
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at);
    } catch (cause) {
      throw new EventLogError(`${this.path}: the event log cannot be written: ${reason(cause)}`, { cause });
    }
    this.#empty = false;
  }

  close(): void {
    if (this.#fd === undefined) return;
    closeSync(this.#fd);
    this.#fd = undefined;
  }
}

/**
 * Events of a log, in order, read piece by piece. A last line that was cut off by a kill is left out; anything else that
 * is not an event stops the reading with an error at `file:line`. Event types that this version does not know are passed
 * over: a newer minor version of the log may have them.
 */
export function* readEvents(path: string): Generator<Event, void, undefined> {
  let number = 0;
  let sawHeader = false;
  for (const { text, complete } of readLines(path)) {
    number++;
    if (text.trim() === '') continue;
    const value = parseLine(text, complete, `${path}:${number}`);
    if (value === undefined) break;
    if (!sawHeader) checkHeader(value, `${path}:${number}`);
    else if (value.type === 'header') throw new EventLogError(`${path}:${number}: a second header; one log is one run`);
    sawHeader = true;
    if (!EVENT_TYPES.includes(value.type)) continue;
    const fault = eventFault(value);
    if (fault) throw new EventLogError(`${path}:${number}: not an event of version ${EVENTS_VERSION}: ${fault}`);
    yield value;
  }
  if (!sawHeader) throw new EventLogError(`${path}:1: the log is empty; expected a header line, was the run started?`);
}

function parseLine(text: string, complete: boolean, where: string): Event | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    // A prefix of an object is never an object, so a torn line cannot be mistaken for a whole one.
    if (!complete) return undefined;
    throw new EventLogError(`${where}: not JSON (${reason(cause)}); each line of the log is one event`, { cause });
  }
  if (typeof value !== 'object' || value === null || typeof (value as Event).type !== 'string') {
    throw new EventLogError(`${where}: expected an object with a "type"`);
  }
  return value as Event;
}

function checkHeader(event: Event, where: string): void {
  if (event.type !== 'header') {
    throw new EventLogError(
      `${where}: expected the header as first event, found "${event.type}"; is this an event log?`,
    );
  }
  const [major] = String(event.version).split('.');
  const [own] = EVENTS_VERSION.split('.');
  if (major !== own) {
    throw new EventLogError(
      `${where}: the log has version ${event.version}, this program reads ${own}.x; ` +
        'use the version of pjrt-conformance that wrote it, or a newer one',
    );
  }
}

const CHUNK_BYTES = 1 << 16;
const NEWLINE = 0x0a;

// Lines are cut as bytes, so that a chunk border inside a UTF-8 sequence does no harm.
function* readLines(path: string): Generator<{ text: string; complete: boolean }, void, undefined> {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch (cause) {
    throw new EventLogError(`${path}: the event log cannot be read: ${reason(cause)}`, { cause });
  }
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    let pending: Buffer[] = [];
    for (;;) {
      const size = readSync(fd, chunk, 0, CHUNK_BYTES, null);
      if (size === 0) break;
      let from = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1 && end < size; end = chunk.indexOf(NEWLINE, from)) {
        pending.push(chunk.subarray(from, end));
        yield { text: Buffer.concat(pending).toString('utf8'), complete: true };
        pending = [];
        from = end + 1;
      }
      if (from < size) pending.push(Buffer.from(chunk.subarray(from, size)));
    }
    if (pending.length > 0) yield { text: Buffer.concat(pending).toString('utf8'), complete: false };
  } finally {
    closeSync(fd);
  }
}

const reason = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
