import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, describe, expect, test } from 'vitest';
import { packagePath } from '../base/paths.ts';
import { EVENTS_VERSION, type Event } from '../model/events.ts';
import { everyStatus, facts, footer, header } from '../model/sample-log.test-helper.ts';
import { EventLog, readEvents } from './log.ts';

const directory = mkdtempSync(join(tmpdir(), 'pjrt-log-'));
afterAll(() => rmSync(directory, { recursive: true }));
let files = 0;
const fresh = (): string => join(directory, `${files++}`, 'events.jsonl');

function written(events: Event[]): string {
  const path = fresh();
  const log = new EventLog(path);
  for (const event of events) log.write(event);
  log.close();
  return path;
}

const raw = (...lines: string[]): string => {
  const path = join(directory, `${files++}.jsonl`);
  writeFileSync(path, lines.join('\n'));
  return path;
};

/** Removes what the log itself adds. */
const unsealed = (events: Iterable<Event>): Event[] =>
  [...events].flatMap((event): Event[] => {
    if (event.type === 'checkpoint') return [];
    if (event.type !== 'footer') return [event];
    const { seal: _, ...rest } = event;
    return [rest];
  });

test('what is written is read back, whatever the strings contain', () => {
  const odd = 'line\nbreak \u0000 \u001b[31m \ud800 \ufffe é 漢字 𝄞';
  const events: Event[] = [
    ...everyStatus().slice(0, -1),
    { type: 'note', level: 'info', message: odd },
    { type: 'note', level: 'info', message: '漢'.repeat(200_000) },
    footer(),
  ];
  expect(unsealed(readEvents(written(events)))).toEqual(events);
});

test('each event is in the file as one line before write returns', () => {
  const path = fresh();
  const log = new EventLog(path);
  log.write(header());
  expect(readFileSync(path, 'utf8').match(/\n/g)).toHaveLength(1);
  log.write({ type: 'note', level: 'info', message: 'a\nb' });
  expect(readFileSync(path, 'utf8').match(/\n/g)).toHaveLength(2);
  log.close();
  expect(() => log.write(footer())).toThrow('the event log is closed');
});

test('a writer killed with SIGKILL leaves a log that is readable up to its last complete event', async () => {
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
  const notes = unsealed(events).slice(1);
  expect(notes.every((event, at) => event.type === 'note' && event.message.endsWith(`x${at + 1}`))).toBe(true);
});

test('only the last line may be incomplete', () => {
  const path = written([header(), { type: 'note', level: 'info', message: 'whole' }]);
  appendFileSync(path, '{"type":"note","level":"info","mess');
  expect([...readEvents(path)]).toHaveLength(2);
  appendFileSync(path, '\n{"type":"note","level":"info","message":"after"}\n');
  expect(() => [...readEvents(path)]).toThrow(`${path}:3: not JSON`);
});

test('a multi-byte character across a chunk boundary is preserved', () => {
  const head = JSON.stringify(header());
  const filler = 'x'.repeat((1 << 16) - head.length - 1 - '{"type":"note","level":"info","message":"'.length - 1);
  const note: Event = { type: 'note', level: 'info', message: `${filler}漢` };
  expect([...readEvents(written([header(), note]))][1]).toEqual(note);
});

test('errors have a location and what was expected', () => {
  const head = JSON.stringify(header());
  const fails = (path: string): string => {
    try {
      return `read ${[...readEvents(path)].length} events`;
    } catch (error) {
      return String(error).replace(path, 'LOG');
    }
  };
  expect(fails(raw(head, '{"type":"start","id":"a:b","worker":"one","atMs":1}', ''))).toBe(
    `EventLogError: LOG:2: not an event of version ${EVENTS_VERSION}: start/worker: must be integer`,
  );
  // A merge sums such numbers, and could not read its own output.
  expect(fails(raw(head, '{"type":"start","id":"a:b","worker":9007199254740991,"atMs":1}', ''))).toBe(
    `EventLogError: LOG:2: not an event of version ${EVENTS_VERSION}: start/worker: must be <= 1000000000`,
  );
  expect(fails(raw(head, '{"type":"start","id":"a:b","worker":1,"atMs":1e308}', ''))).toBe(
    `EventLogError: LOG:2: not an event of version ${EVENTS_VERSION}: start/atMs: must be <= 1000000000000000`,
  );
  expect(fails(raw('{"type":"start","id":"a:b","worker":1,"atMs":1}', ''))).toContain('LOG:1: expected the header');
  // Quoted text stays on its line, or it would look like another problem.
  expect(fails(raw('{"type":"a\\nb"}', ''))).toContain('found "a\\nb"');
  expect(fails(raw('{"type":"header","version":"9\\n.0"}', ''))).toContain('version 9\\n.0');
  expect(fails(raw(head, head, ''))).toContain('LOG:2: a second header');
  expect(fails(raw(head, '[]', ''))).toContain('LOG:2: expected an object with a "type"');
  expect(fails(raw(''))).toContain('LOG:1: the log is empty');
  expect(fails(raw('{"type":"head'))).toContain('LOG:1: the log is empty');
  expect(fails('/dev/zero')).toContain('LOG: a line has more than 134217728 bytes; is this an event log?');
  expect(fails(join(directory, 'missing.jsonl'))).toContain('LOG: the event log cannot be read: there is no such file');
  expect(fails(raw(JSON.stringify(header({ version: '2.0' })), ''))).toContain(
    'LOG:1: the log has version 2.0, this program reads 1.x',
  );
});

test('a newer minor version is read, and what is unknown in it is ignored', () => {
  const head = JSON.stringify({ ...header({ version: '1.999' }), weather: 'fine' });
  const path = raw(head, '{"type":"telemetry","x":1}', JSON.stringify(footer()), '');
  expect([...readEvents(path)].map((event) => event.type)).toEqual(['header', 'footer']);
});

/** The expected seals, computed from their description alone. */
function seals(path: string): { said: unknown; true: unknown }[] {
  const text = readFileSync(path, 'utf8');
  const lines = text.split('\n').slice(0, -1);
  return lines.flatMap((line, number) => {
    const { seal } = JSON.parse(line);
    if (!seal) return [];
    const before = `${lines.slice(0, number).join('\n')}\n${line.slice(0, line.lastIndexOf(',"seal":'))}`;
    return [{ said: seal, true: { lines: number, sha256: createHash('sha256').update(before).digest('hex') } }];
  });
}

describe('seals', () => {
  test('a checkpoint every thousand events and the footer have the hash of all bytes before them', () => {
    const notes = Array.from({ length: 2500 }, (_, n): Event => ({ type: 'note', level: 'info', message: `é ${n}` }));
    const found = seals(written([header(), ...notes, footer({ verdict: 'odd ,"seal":{ in it' })]));
    expect(found).toHaveLength(3);
    for (const { said, true: is } of found) expect(said).toEqual(is);
  });

  test('those of another log are not copied', () => {
    const other = { lines: 1, sha256: 'ab'.repeat(32) };
    const path = written([header(), { type: 'checkpoint', seal: other }, footer({ seal: other })]);
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(3);
    for (const { said, true: is } of seals(path)) expect(said).toEqual(is);
  });

  test('a continued log has one chain, without what was cut off', () => {
    const path = written([header(), footer()]);
    const kept = readFileSync(path, 'utf8').indexOf('\n') + 1;
    const log = new EventLog(path, kept);
    log.write({ type: 'note', level: 'info', message: 'later' });
    log.write(footer());
    log.close();
    expect([...readEvents(path)].map(({ type }) => type)).toEqual(['header', 'note', 'footer']);
    expect(seals(path).map(({ said, true: is }) => [said, is])).toHaveLength(1);
    for (const { said, true: is } of seals(path)) expect(said).toEqual(is);
  });

  test('a last event without its line end gets one', () => {
    const path = raw(JSON.stringify(header()), '{"type":"note","level":"info","message":"whole"}');
    const log = new EventLog(path, readFileSync(path).length);
    log.write(footer());
    log.close();
    expect([...readEvents(path)].map(({ type }) => type)).toEqual(['header', 'note', 'footer']);
    for (const { said, true: is } of seals(path)) expect(said).toEqual(is);
  });
});

test('an incomplete line that could not be written is removed, and nothing follows it', () => {
  const path = fresh();
  const script = `
    const { EventLog } = await import(${JSON.stringify(packagePath('harness/report/log.ts'))});
    const log = new EventLog(${JSON.stringify(path)});
    const say = (event) => { try { log.write(event); } catch (error) { console.log(error.message); return true; } };
    say(${JSON.stringify(header())});
    while (!say({ type: 'note', level: 'info', message: 'x'.repeat(5000) }));
    say(${JSON.stringify(footer())});`;
  // A limit on file sizes is equivalent to a full disk; its signal is ignored.
  const { stdout } = spawnSync(
    'bash',
    [
      '-c',
      'trap "" XFSZ; ulimit -f 64; exec "$@"',
      'bash',
      process.execPath,
      '--import',
      'tsx',
      '--input-type=module',
      '-e',
      script,
    ],
    { cwd: packagePath(), encoding: 'utf8', env: { ...process.env, TSX_DISABLE_CACHE: '1' } },
  );
  const failure = `${path}: the event log cannot be written: file too large`;
  expect(stdout).toBe(`${failure}\n${failure}\n`);
  expect(readFileSync(path, 'utf8')).toMatch(/\n$/);
  expect([...readEvents(path)]).toHaveLength(13);
});

test('the writer expects the header first, and once', () => {
  const log = new EventLog(fresh());
  expect(() => log.write(footer())).toThrow('the header must be the first event');
  log.write(header());
  expect(() => log.write(header())).toThrow('the header must be the first event');
  log.close();
});

test('the schema has every member of every event', () => {
  // With additional members forbidden, types and schema cannot diverge unnoticed.
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
    header({
      host: { ...header().host, libc: 'glibc 2.36' },
      environment: { PJRT_DEVICE: 'CPU' },
      invocation: { cwd: '/home', options: { plugin: ['./example.so'], binding: 'now', fetch: true, workers: 2 } },
    }),
    { type: 'plugin', plugin: facts({ buildId: 'ab12' }) },
    {
      type: 'resume',
      startedAt: '2026-02-03T04:05:06.000Z',
      argv: ['run'],
      atMs: 12,
      after: 'cut-off',
      tornBytes: 3,
    },
    { type: 'checkpoint', seal: { lines: 3, sha256: 'ab'.repeat(32) } },
    footer({ seal: { lines: 3, sha256: 'ab'.repeat(32) } }),
  ];
  for (const event of events) expect(validate(event), JSON.stringify(validate.errors)).toBe(true);
  expect(validate({ ...footer(), surprise: 1 })).toBe(false);
  expect(validate({ type: 'telemetry' })).toBe(false);
});
