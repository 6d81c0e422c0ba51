import { statSync } from 'node:fs';
import type { Event } from '../model/events.ts';
import { EventLogError, readLog } from './log.ts';
import { LogHash } from './seal.ts';

/** A log as somebody finds it who wants to go on with it. */
export interface RecoveredLog {
  /** All events but the footer. */
  events: Event[];
  footer?: Extract<Event, { type: 'footer' }>;
  /** Bytes up to the end of the header, and up to the footer or the end of the last whole event. */
  headerBytes: number;
  bytes: number;
  /** Bytes of a line torn by a kill, after that. */
  tornBytes: number;
}

/**
 * Reads a log to go on with it. Here seals are checked: results are added to what is there only when it is what was
 * written.
 * @throws EventLogError
 */
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
  const tornBytes = statSync(path).size - end;
  // No run that was killed has written this.
  if (footer && tornBytes > 0) throw afterFooter(`${path}:${lines + 1}`);
  return { events, ...(footer ? { footer } : {}), headerBytes, bytes, tornBytes };
}

const afterFooter = (where: string): EventLogError =>
  new EventLogError(`${where}: there is a line after the footer; this log cannot be continued`);
