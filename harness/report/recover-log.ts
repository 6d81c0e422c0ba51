import { statSync } from 'node:fs';
import type { Event } from '../model/events.ts';
import { EventLogError, readLog } from './log.ts';
import { LogHash } from './seal.ts';

/** A log to be continued. */
export interface RecoveredLog {
  /** All events except the footer. */
  events: Event[];
  footer?: Extract<Event, { type: 'footer' }>;
  /** Bytes up to the end of the header, and up to the footer or the end of the last complete event. */
  headerBytes: number;
  bytes: number;
  /** Bytes of an incomplete line after that. */
  tornBytes: number;
  sizeBytes: number;
}

/** Reads a log in order to continue it. Checks seals: results are only added to an unchanged log. @throws EventLogError */
export function recoverLog(path: string): RecoveredLog {
  const hash = new LogHash();
  const events: Event[] = [];
  let footer: RecoveredLog['footer'];
  let headerBytes = 0;
  let bytes = 0;
  let end = 0;
  let lines = 0;
  for (const { event, bytes: line, offset, complete, where } of readLog(path)) {
    if (footer) throw afterFooter(where);
    lines++;
    end = offset + line.length + (complete ? 1 : 0);
    const seal = event && 'seal' in event ? event.seal : undefined;
    if (seal) {
      const expected = hash.expectedSeal(line);
      if (!expected || expected.sha256 !== seal.sha256 || expected.lines !== seal.lines) {
        throw new EventLogError(
          `${where}: the seal does not match the lines before it: the log was changed after it was written, so it cannot be continued; start a new run`,
        );
      }
    }
    hash.add(line);
    if (event?.type === 'footer') footer = event;
    else {
      bytes = end;
      if (event) events.push(event);
      if (event?.type === 'header') headerBytes = end;
    }
  }
  const sizeBytes = statSync(path).size;
  const tornBytes = sizeBytes - end;
  // Not the result of a kill.
  if (footer && tornBytes > 0) throw afterFooter(`${path}:${lines + 1}`);
  return { events, footer, headerBytes, bytes, tornBytes, sizeBytes };
}

const afterFooter = (where: string): EventLogError =>
  new EventLogError(`${where}: there is a line after the footer; this log cannot be continued`);
