import { closeSync, fdatasyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeDirectory } from '../base/make-directory.ts';
import { cleanLine } from '../base/sanitize.ts';
import { systemReason } from '../base/system-reason.ts';
import { EVENTS_VERSION, type Event } from '../model/events.ts';
import { EndlessLineError, type LogLine, readLines } from './log-lines.ts';
import { LogHash } from './seal.ts';
import { eventFault, isKnownEvent } from './validate-event.ts';

/** The log cannot be written, or is not a log: the message says where (`file:line`) and what to do. */
export class EventLogError extends Error {
  override name = 'EventLogError';
}

/** A checkpoint is due after this many events, or this long after the last one. */
const CHECKPOINT_EVENTS = 1000;
const CHECKPOINT_MS = 5000;

/**
 * Appends events to a log, one JSON line each; the only writer of logs. Each event is passed to the system before `write`
 * returns, so that a kill of this process does not lose it. A power failure may lose what the system has not written to disk:
 * at most what follows the last checkpoint that was synced, some seconds.
 *
 * Checkpoints and the footer end in a seal: a hash over everything before it.
 */
export class EventLog {
  readonly path: string;
  #fd: number | undefined;
  #failure: EventLogError | undefined;
  #bytes = 0;
  #hash = new LogHash();
  #empty = true;
  #sinceCheckpoint = 0;
  #checkpointAt = performance.now();
  #syncedAt = performance.now();

  /**
   * Begins a new log, discarding an existing one.
   * @param kept continues the existing log, of which this many bytes, whole lines, are kept
   */
  constructor(path: string, kept?: number) {
    this.path = path;
    try {
      makeDirectory(dirname(path));
      this.#fd = openSync(path, kept === undefined ? 'w' : 'a');
      if (kept !== undefined) this.#continueLog(this.#fd, kept);
    } catch (cause) {
      this.close();
      throw new EventLogError(
        `${path}: the event log cannot be ${kept === undefined ? 'created' : 'continued'}: ${systemReason(cause)}`,
        { cause },
      );
    }
  }

  /** Writes an event. Checkpoints and seals of other logs are dropped, because the log writes its own. */
  write(event: Event): void {
    if (event.type === 'checkpoint') return;
    if (this.#empty !== (event.type === 'header')) {
      throw new EventLogError(`${this.path}: the header must be the first event of the log and the only header`);
    }
    this.#append(event.type === 'footer' ? this.#hash.sealedLine({ ...event, seal: undefined }) : lineOf(event));
    this.#empty = false;
    const now = performance.now();
    if (event.type === 'footer') this.#sync(now);
    else if (++this.#sinceCheckpoint >= CHECKPOINT_EVENTS || now - this.#checkpointAt >= CHECKPOINT_MS) {
      this.#checkpoint(now);
    }
  }

  close(): void {
    if (this.#fd === undefined) return;
    closeSync(this.#fd);
    this.#fd = undefined;
  }

  #checkpoint(now: number): void {
    this.#append(this.#hash.sealedLine({ type: 'checkpoint' }));
    this.#sinceCheckpoint = 0;
    this.#checkpointAt = now;
    // A log that grows fast would otherwise wait for the disk most of the time.
    if (now - this.#syncedAt >= CHECKPOINT_MS) this.#sync(now);
  }

  #append(line: Buffer): void {
    if (this.#fd === undefined) throw this.#failure ?? new EventLogError(`${this.path}: the event log is closed`);
    const bytes = Buffer.concat([line, LINE_END]);
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at);
    } catch (cause) {
      this.#failure = new EventLogError(`${this.path}: the event log cannot be written: ${systemReason(cause)}`, {
        cause,
      });
      this.#takeBack(this.#fd);
      this.close();
      throw this.#failure;
    }
    this.#bytes += bytes.length;
    this.#hash.add(line);
  }

  /** An incomplete line, as a full disk leaves it, must be the last one: no line follows it. */
  #takeBack(fd: number): void {
    try {
      ftruncateSync(fd, this.#bytes);
    } catch {
      // Readers skip an incomplete last line.
    }
  }

  #sync(now: number): void {
    try {
      fdatasyncSync(this.#fd!);
    } catch {
      // Pipes and devices cannot be synced.
    }
    this.#syncedAt = now;
  }

  #continueLog(fd: number, kept: number): void {
    ftruncateSync(fd, kept);
    let ended = true;
    for (const { bytes, complete } of readLines(this.path)) {
      this.#hash.add(bytes);
      ended = complete;
    }
    // A complete event whose line end was not written.
    if (!ended) writeSync(fd, LINE_END);
    this.#bytes = kept + (ended ? 0 : LINE_END.length);
    this.#empty = kept === 0;
  }
}

const LINE_END = Buffer.from('\n');

const lineOf = (event: Event): Buffer => Buffer.from(JSON.stringify(event), 'utf8');

/** A line of a log with its event. */
interface ReadLine extends LogLine {
  /** Undefined for a blank line, and for an event type that this version does not know. */
  event: Event | undefined;
  /** E.g. `events.jsonl:12`. */
  where: string;
}

/**
 * The lines of a log, read piece by piece. A last line truncated by a kill is skipped; anything else that is not an event
 * stops the reading with an error at `file:line`. Unknown event types are skipped, because a newer minor version of the log
 * may have them.
 */
export function* readLog(path: string): Generator<ReadLine, void, undefined> {
  let number = 0;
  let sawHeader = false;
  for (const line of opened(path)) {
    const where = `${path}:${++number}`;
    const text = line.bytes.toString('utf8');
    if (text.trim() === '') {
      yield { ...line, where, event: undefined };
      continue;
    }
    const value = parseLine(text, line.complete, where);
    if (value === undefined) break;
    if (!sawHeader) checkHeader(value, where);
    else if (value.type === 'header') throw new EventLogError(`${where}: a second header; one log is one run`);
    sawHeader = true;
    const known = isKnownEvent(value);
    const fault = known ? eventFault(value) : undefined;
    if (fault) throw new EventLogError(`${where}: not an event of version ${EVENTS_VERSION}: ${fault}`);
    yield { ...line, where, event: known ? value : undefined };
  }
  if (!sawHeader) throw new EventLogError(`${path}:1: the log is empty; expected a header line, was the run started?`);
}

/** Events of a log, in order. */
export function* readEvents(path: string): Generator<Event, void, undefined> {
  for (const { event } of readLog(path)) if (event) yield event;
}

function parseLine(text: string, complete: boolean, where: string): Event | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    // A prefix of an object is never an object, so an incomplete line cannot be mistaken for a complete one.
    if (!complete) return undefined;
    throw new EventLogError(`${where}: not JSON (${systemReason(cause)}); each line of the log is one event`, {
      cause,
    });
  }
  if (typeof value !== 'object' || value === null || typeof (value as Event).type !== 'string') {
    throw new EventLogError(`${where}: expected an object with a "type"`);
  }
  return value as Event;
}

function checkHeader(event: Event, where: string): void {
  if (event.type !== 'header') {
    throw new EventLogError(
      `${where}: expected the header as first event, found "${cleanLine(event.type)}"; is this an event log?`,
    );
  }
  const [major] = String(event.version).split('.');
  const [own] = EVENTS_VERSION.split('.');
  if (major !== own) {
    throw new EventLogError(
      `${where}: the log has version ${cleanLine(String(event.version))}, this program reads ${own}.x; ` +
        'use the version of pjrt-conformance that wrote it, or a newer one',
    );
  }
}

function* opened(path: string): Generator<LogLine, void, undefined> {
  try {
    yield* readLines(path);
  } catch (cause) {
    if (cause instanceof EndlessLineError) {
      throw new EventLogError(`${path}: ${cause.message}; is this an event log?`, { cause });
    }
    if (cause instanceof Error && 'syscall' in cause) {
      throw new EventLogError(`${path}: the event log cannot be read: ${systemReason(cause)}`, { cause });
    }
    throw cause;
  }
}
