import { spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, expect, test } from 'vitest';
import { packagePath } from '../paths.ts';
import type { Event } from './events.ts';
import { EventLog, readEvents } from './log.ts';
import { everyStatus, facts, footer, header } from './sample-log.test-helper.ts';

const folder = mkdtempSync(join(tmpdir(), 'pjrt-log-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const fresh = (): string => join(folder, `${files++}`, 'events.jsonl');

function written(events: Event[]): string {
  const path = fresh();
  const log = new EventLog(path);
  for (const event of events) log.write(event);
  log.close();
  return path;
}

const raw = (...lines: string[]): string => {
  const path = join(folder, `${files++}.jsonl`);
  writeFileSync(path, lines.join('\n'));
  return path;
};

test('what is written is what is read, whatever the strings hold', () => {
  const odd = 'line\nbreak \u0000 \u001b[31m \ud800 \ufffe é 漢字 𝄞';
  const events: Event[] = [
    ...everyStatus().slice(0, -1),
    { type: 'note', level: 'info', message: odd },
    { type: 'note', level: 'info', message: '漢'.repeat(200_000) },
    footer(),
  ];
  expect([...readEvents(written(events))]).toEqual(events);
});

test('each event is on the disk as one line before write returns', () => {
  const path = fresh();
  const log = new EventLog(path);
  log.write(header());
  expect(readFileSync(path, 'utf8').match(/\n/g)).toHaveLength(1);
  log.write({ type: 'note', level: 'info', message: 'a\nb' });
  expect(readFileSync(path, 'utf8').match(/\n/g)).toHaveLength(2);
  log.close();
  expect(() => log.write(footer())).toThrow('the event log is closed');
});

test('a writer killed with SIGKILL leaves a log that reads up to its last whole event', async () => {
  const path = fresh();
  const script = `
    const { EventLog } = await import(${JSON.stringify(packagePath('harness/report/log.ts'))});
    const log = new EventLog(${JSON.stringify(path)});
    log.write(${JSON.stringify(header())});
    for (let n = 1; ; n++) { log.write({ type: 'note', level: 'info', message: 'x'.repeat(5000) + n }); if (n === 20) console.log('written'); }`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    cwd: packagePath(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('close', resolve));
  const events = [...readEvents(path)];
  expect(events[0]).toEqual(header());
  expect(events.length).toBeGreaterThan(20);
  expect(events.slice(1).every((event, at) => event.type === 'note' && event.message.endsWith(`x${at + 1}`))).toBe(
    true,
  );
});

test('only the last line may be torn', () => {
  const path = written([header(), { type: 'note', level: 'info', message: 'whole' }]);
  appendFileSync(path, '{"type":"note","level":"info","mess');
  expect([...readEvents(path)]).toHaveLength(2);
  appendFileSync(path, '\n{"type":"note","level":"info","message":"after"}\n');
  expect(() => [...readEvents(path)]).toThrow(`${path}:3: not JSON`);
});

test('a multi-byte character across a chunk border survives', () => {
  const head = JSON.stringify(header());
  const filler = 'x'.repeat((1 << 16) - head.length - 1 - '{"type":"note","level":"info","message":"'.length - 1);
  const note: Event = { type: 'note', level: 'info', message: `${filler}漢` };
  expect([...readEvents(written([header(), note]))][1]).toEqual(note);
});

test('errors say where and what was expected', () => {
  const head = JSON.stringify(header());
  const fails = (path: string): string => {
    try {
      return `read ${[...readEvents(path)].length} events`;
    } catch (error) {
      return String(error).replace(path, 'LOG');
    }
  };
  expect(fails(raw(head, '{"type":"start","id":"a:b","worker":"one","atMs":1}', ''))).toBe(
    'EventLogError: LOG:2: not an event of version 1.2: start/worker: must be integer',
  );
  expect(fails(raw('{"type":"start","id":"a:b","worker":1,"atMs":1}', ''))).toContain('LOG:1: expected the header');
  expect(fails(raw(head, head, ''))).toContain('LOG:2: a second header');
  expect(fails(raw(head, '[]', ''))).toContain('LOG:2: expected an object with a "type"');
  expect(fails(raw(''))).toContain('LOG:1: the log is empty');
  expect(fails(raw('{"type":"head'))).toContain('LOG:1: the log is empty');
  expect(fails(join(folder, 'missing.jsonl'))).toContain('LOG: the event log cannot be read: ENOENT');
  expect(fails(raw(JSON.stringify(header({ version: '2.0' })), ''))).toContain(
    'LOG:1: the log has version 2.0, this program reads 1.x',
  );
});

test('a newer minor version is read; what is unknown in it is passed over', () => {
  const head = JSON.stringify({ ...header({ version: '1.7' }), weather: 'fine' });
  const path = raw(head, '{"type":"telemetry","x":1}', JSON.stringify(footer()), '');
  expect([...readEvents(path)].map((event) => event.type)).toEqual(['header', 'footer']);
});

test('the writer wants the header first, once', () => {
  const log = new EventLog(fresh());
  expect(() => log.write(footer())).toThrow('the header must be the first event');
  log.write(header());
  expect(() => log.write(header())).toThrow('the header must be the first event');
  log.close();
});

test('the schema knows every member of every event', () => {
  // Closed, the schema refuses members that it does not list: types and schema cannot drift apart unseen.
  const close = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(close);
    if (typeof node !== 'object' || node === null) return node;
    const copy: Record<string, unknown> = Object.fromEntries(
      Object.entries(node).map(([key, value]) => [key, close(value)]),
    );
    if (copy.type === 'object' && copy.additionalProperties === undefined) copy.additionalProperties = false;
    return copy;
  };
  const schema = JSON.parse(readFileSync(packagePath('schemas/events.schema.json'), 'utf8'));
  const validate = new Ajv2020({ allowUnionTypes: true, allErrors: true }).compile(close(schema) as object);
  const events: Event[] = [
    ...everyStatus(),
    {
      type: 'plugin',
      plugin: facts({ manifest: 'known/example', failure: { stage: 'client', message: 'none', code: 'INTERNAL' } }),
    },
    { ...header(), options: { strict: true, acceptKnown: false } } as Event,
  ];
  for (const event of events) expect(validate(event), JSON.stringify(validate.errors)).toBe(true);
  expect(validate({ ...footer(), surprise: 1 })).toBe(false);
  expect(validate({ type: 'telemetry' })).toBe(false);
});
