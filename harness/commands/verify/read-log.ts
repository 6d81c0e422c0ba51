import { createHash, type Hash } from 'node:crypto';
import { TextDecoder } from 'node:util';
import { type AddViolation, type Say, UnreadableError } from './rules.ts';
import { eventTypes, schemaFault } from './schemas.ts';

/** An event after validation against the published schema. */
// biome-ignore lint/suspicious/noExplicitAny: shapes are those of the schema, and are checked at run time by it.
export type LogEvent = { type: string; line: number } & Record<string, any>;

/** Newest minor of the log that these rules know. */
const KNOWN_MINOR = 9;

const LINE_END = 0x0a;
const SEAL_MARK = ',"seal":{';

/** Reads a log by its published description alone, and checks lines, schema, order and seals. */
export function readLogBytes(bytes: Buffer, name: string, addViolation: AddViolation): LogEvent[] {
  const hash = createHash('sha256');
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const types = eventTypes();
  const events: LogEvent[] = [];
  let lines = 0;
  let sealed = 0;
  for (let from = 0; from < bytes.length; ) {
    const found = bytes.indexOf(LINE_END, from);
    const end = found === -1 ? bytes.length : found;
    const raw = bytes.subarray(from, end);
    const where = `${name}:${lines + 1}`;
    if (found === -1) addViolation('log-lines', where, 'the last line has no end: it was cut off');
    const event = parse(raw, decoder, (what) => addViolation('log-lines', where, what));
    if (event) {
      if (lines === 0) checkVersion(event, where);
      const fault = types.has(event.type)
        ? schemaFault(`events.schema.json#/$defs/${event.type}`, event)
        : `there are no events of type ${JSON.stringify(event.type)}`;
      if (fault !== undefined) addViolation('log-schema', where, `${event.type}: ${fault}`);
      // What does not match the schema cannot be checked any further.
      else events.push({ ...event, line: lines + 1 });
      if ('seal' in event) {
        sealed++;
        const fault = sealFault(raw, event.seal, hash.copy(), lines);
        if (fault !== undefined) addViolation('log-seal', where, fault);
      }
      if (event.type === 'resume' && event.footer) {
        const fault = removedSealFault(event.footer, hash.copy(), lines);
        if (fault !== undefined) addViolation('log-seal', where, fault);
      }
    }
    hash.update(raw).update('\n');
    lines++;
    from = end + 1;
  }
  const last = events.at(-1);
  if (last?.type === 'footer' && !('seal' in last))
    addViolation('log-seal', `${name}:${last.line}`, 'the footer has no seal');
  else if (sealed === 0) addViolation('log-seal', name, 'there is no seal in the log');
  checkOrder(events, name, addViolation);
  return events;
}

function parse(raw: Buffer, decoder: TextDecoder, say: Say): LogEvent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(raw));
  } catch (error) {
    say(raw.length === 0 ? 'a blank line' : `not JSON in UTF-8: ${(error as Error).message}`);
    return undefined;
  }
  if (typeof value === 'object' && value !== null && typeof (value as LogEvent).type === 'string') {
    return value as LogEvent;
  }
  say('expected an object with a "type"');
  return undefined;
}

function checkVersion(event: LogEvent, where: string): void {
  const [major, minor] = String(event.version).split('.').map(Number);
  if (event.type === 'header' && (major !== 1 || !(minor! <= KNOWN_MINOR))) {
    throw new UnreadableError(
      `${where}: a log of version ${event.version}; this program verifies 1.0 to 1.${KNOWN_MINOR}: use the version that wrote it, or a newer one`,
    );
  }
}

/** What is wrong with the seal of a line. @param hash of the lines before it */
function sealFault(raw: Buffer, seal: LogEvent['seal'], hash: Hash, lines: number): string | undefined {
  const at = raw.lastIndexOf(SEAL_MARK);
  const expected = at === -1 ? undefined : hash.update(raw.subarray(0, at)).digest('hex');
  const exact = Buffer.from(`,"seal":${JSON.stringify({ lines, sha256: expected })}}`);
  if (seal?.lines !== lines) return `it says ${seal?.lines} lines before it, there are ${lines}`;
  if (seal.sha256 !== expected) {
    return `it says ${seal.sha256}, the lines before it have ${expected}: the log was changed`;
  }
  return raw.subarray(at).equals(exact) ? undefined : 'the seal is not in canonical form';
}

/** What is wrong with the seal of a footer that was removed where the run was resumed. @param hash of the lines before it */
function removedSealFault({ seal, ...footer }: LogEvent, hash: Hash, lines: number): string | undefined {
  const expected = hash.update(JSON.stringify(footer).slice(0, -1)).digest('hex');
  return seal?.sha256 === expected && seal.lines === lines
    ? undefined
    : 'the footer of the session before is not about the lines before it: the log was changed before it was resumed';
}

const PLANNING = new Set(['header', 'suite', 'note', 'checkpoint', 'resume', 'plugin', 'framework']);

function checkOrder(events: readonly LogEvent[], name: string, addViolation: AddViolation): void {
  if (events[0]?.type !== 'header') addViolation('log-order', `${name}:1`, 'the first event is not the header');
  let happened = false;
  for (const [index, { type, line }] of events.entries()) {
    const where = `${name}:${line}`;
    if (type === 'header' && index > 0) addViolation('log-order', where, 'a second header');
    if (type === 'footer' && index < events.length - 1)
      addViolation('log-order', where, 'there is a line after the footer');
    if (type === 'suite' && happened) addViolation('log-order', where, 'a suite is planned after cases had started');
    if (!PLANNING.has(type)) happened = true;
  }
  if (events.at(-1)?.type !== 'footer') addViolation('log-order', name, 'there is no footer at the end');
}

/** Time of a run never goes backwards, across all sessions. */
export function checkClock(events: readonly LogEvent[], name: string, addViolation: AddViolation): void {
  let now = 0;
  for (const { type, line, atMs, durationMs } of events) {
    const at = type === 'footer' ? durationMs : atMs;
    if (at === undefined) continue;
    if (at < now) addViolation('log-clock', `${name}:${line}`, `${type} at ${at} ms comes after ${now} ms`);
    now = Math.max(now, at);
  }
}
