import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Event } from '../model/events.ts';
import { everyStatus, footer, header } from '../model/sample-log.test-helper.ts';
import { EventLog, readEvents } from './log.ts';
import { recoverLog } from './recover-log.ts';

const directory = mkdtempSync(join(tmpdir(), 'pjrt-recover-'));
afterAll(() => rmSync(directory, { recursive: true }));
let files = 0;

function written(events: readonly Event[]): string {
  const path = join(directory, `${files++}`, 'events.jsonl');
  const log = new EventLog(path);
  for (const event of events) log.write(event);
  log.close();
  return path;
}

describe('recovery', () => {
  test('a log truncated at any byte keeps its complete events and can be continued', () => {
    const whole = readFileSync(written(everyStatus()));
    for (let size = whole.indexOf('\n') + 1; size < whole.length; size += 37) {
      const path = join(directory, `${files++}.jsonl`);
      writeFileSync(path, whole.subarray(0, size));
      const before = [...readEvents(path)];
      const { bytes, tornBytes, footer: end } = recoverLog(path);
      expect([bytes + tornBytes, end]).toEqual([size, undefined]);
      const log = new EventLog(path, bytes);
      log.write(footer());
      log.close();
      expect([...readEvents(path)].slice(0, -1)).toEqual(before);
      expect(recoverLog(path)).toMatchObject({ tornBytes: 0, footer: { type: 'footer' } });
    }
  });

  test('a complete event without its line end is kept', () => {
    const path = written([header()]);
    appendFileSync(path, '{"type":"note","level":"info","message":"whole"}');
    expect(recoverLog(path)).toMatchObject({ bytes: readFileSync(path).length, tornBytes: 0 });
  });

  test('the footer of a finished log is recognised', () => {
    const path = written(everyStatus());
    const { events, footer: end, bytes } = recoverLog(path);
    expect(events.at(-1)?.type).not.toBe('footer');
    expect(end?.exitCode).toBe(1);
    expect(readFileSync(path).subarray(bytes).toString()).toMatch(/^\{"type":"footer"/);
  });

  test('a log that was changed, or has something after its end, is rejected', () => {
    const path = written(everyStatus());
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace('"status":"fail"', '"status":"pass"'));
    expect(() => recoverLog(path)).toThrow(/:\d+: the seal does not match the lines before it/);
    writeFileSync(path, `${text}{"type":"note","level":"info","message":"later"}\n`);
    expect(() => recoverLog(path)).toThrow(/:\d+: there is a line after the footer/);
    writeFileSync(path, `${text}"`);
    expect(() => recoverLog(path)).toThrow(`:${text.split('\n').length}: there is a line after the footer`);
    const unwritten = '"message":"odd","seal":"none"}';
    writeFileSync(path, text.replace('\n', `\n{"type":"note","level":"info",${unwritten}\n`));
    expect(() => recoverLog(path)).toThrow(/:2: the seal does not match/);
  });
});
