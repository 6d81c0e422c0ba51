import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import { answerFrame } from '../harness/host/wire/frame.ts';
import { Random } from '../tools/fuzz/random.ts';
import { cli, livingProcesses } from './support/cli.ts';
import { buildHostile } from './support/hostile.ts';
import { validateJunit } from './support/junit-schemas.ts';

/** Of random streams; `npm run check:channel` tries 200. */
const STREAMS = Number(process.env.PJRT_STREAMS ?? 4);

const ready = { type: 'ready' };
const forged = { type: 'result', result: { status: 'pass', findings: [], durationMs: 1, nativeMs: 1, calls: 1 } };
const withLength = (length: number, bytes: Uint8Array): Buffer => {
  const head = Buffer.alloc(4);
  head.writeUInt32LE(length);
  return Buffer.concat([head, bytes]);
};
const zeros = Buffer.alloc(16);

/** What a plugin may write into descriptors that are not its own, by accident or in the hope to be taken for its worker. */
const CONSTRUCTED: Record<string, Buffer> = {
  'one byte': Buffer.from('x'),
  'a zero byte': Buffer.alloc(1),
  'a line of a log': Buffer.from('I0000 00:00:00.0 1 client.cc:1] client created\n'),
  'a whole frame of another channel': answerFrame(Buffer.alloc(16, 0x41), 0, 1, forged),
  'a frame with a token of zeros': answerFrame(zeros, 0, 1, forged),
  'the same, of later numbers': Buffer.concat([...Array(100)].map((_, i) => answerFrame(zeros, i, i, forged))),
  'a frame that is cut off': answerFrame(zeros, 0, 1, ready).subarray(0, 30),
  'half a head': answerFrame(zeros, 0, 1, ready).subarray(0, 12),
  'a length beyond all limits': Buffer.concat([zeros, Buffer.alloc(12, 0xff)]),
  'a length of zero': Buffer.concat([zeros, Buffer.alloc(12)]),
  'null, serialized by V8': withLength(serialize(null).length, serialize(null)),
  'a result, serialized by V8': withLength(serialize(forged).length, serialize(forged)),
  'a V8 header alone': withLength(2, Buffer.from([0xff, 0x0f])),
  'null, as a line of JSON': Buffer.from('null\n'),
  'a result, as a line of JSON': Buffer.from(`${JSON.stringify(forged)}\n`),
  'a message of the internal channel of Node': Buffer.from('{"cmd":"NODE_HANDLE","type":"net.Socket"}\n'),
  'a million levels': Buffer.from('['.repeat(1_000_000)),
  'four megabytes of zeros': Buffer.alloc(4 << 20),
  'a question': withLength(1, serialize({ type: 'stop' })),
  'a marker of output': Buffer.from('\n\u0001pjrt-conformance 000000000000000000000000 end 1\u0001\n'),
};

/** Random lengths, random bytes, of which some begin as a message of some channel does. */
function randomStream(seed: number): Buffer {
  const random = new Random(seed);
  const noise = Buffer.from(
    Array.from({ length: 1 + random.below(random.pick([8, 64, 4096, 65536])) }, () => random.below(256)),
  );
  const starts = Object.values(CONSTRUCTED);
  return random.chance(0.5) ? Buffer.concat([random.pick(starts).subarray(0, random.below(64)), noise]) : noise;
}

const streams = [
  ...Object.entries(CONSTRUCTED),
  ...Array.from({ length: STREAMS }, (_, i): [string, Buffer] => [`random stream ${i}`, randomStream(i)]),
];

let directory = '';
let plugin = '';
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-streams-'));
  plugin = await buildHostile('writes-channel');
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const ARGS = ['--suites', packagePath('tests', 'suites'), '--suite', 'hostile', '--report', 'html', '--output', 'out'];

/** Those that call the function in which the plugin writes. */
const HIT = ['hostile:platform-name', 'hostile:on-ready'];

describe('a plugin that writes into the channel of its worker loses its case, and nothing else', () => {
  test.each(streams)('%s', async (name, bytes) => {
    const path = join(directory, name.replaceAll(/\W/g, '-'));
    writeFileSync(path, bytes);
    const run = await cli(['run', '--plugin', plugin, ...ARGS], { env: { HOSTILE_BYTES: path } });
    expect(run.exitCode, run.stdout + run.stderr).toBe(1);
    expect(run.stderr).toBe('');
    expect(run.events.at(-1)).toMatchObject({ type: 'footer', interrupted: false });
    for (const event of run.events) {
      if (event.type !== 'case') continue;
      const expected = HIT.includes(event.id) ? /^crash$/ : /^(pass|unsupported)$/;
      expect([event.id, event.result.status]).toEqual([event.id, expect.stringMatching(expected)]);
      for (const { message, requirements } of event.result.findings) {
        expect([message, requirements]).toEqual([
          expect.stringContaining('something that is no message'),
          ['HYG-FD-001'],
        ]);
      }
    }
    expect(run.events.filter(({ type }) => type === 'case')).toHaveLength(11);
    expect(run.report.complete).toBe(true);
    validateJunit(run.junit);
    expect(livingProcesses(run.events)).toEqual([]);
  });
});
