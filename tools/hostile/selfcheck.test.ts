import { beforeAll, describe, expect, it } from 'vitest';
import { buildHostile, buildHostileDriver, HOSTILE_SAMPLE, hostileNames } from '../../tests/support/hostile.ts';
import { type HostileEntry, hostileCatalogue } from '../../tests/support/hostile-catalogue.ts';
import { partOf } from '../../tests/support/part.ts';
import { runDriver, type Session } from './driver.ts';

const GIB = 2 ** 30;

/** The end of a process with the plugin according to the catalogue. */
function promisedEnd({ process, complaint }: HostileEntry): Session['end'] {
  if (process === 'hangs') return 'hung';
  if (process === 'survives') return { code: complaint === undefined ? 0 : 1, signal: null };
  return 'signal' in process ? { code: null, signal: process.signal } : { code: process.exit, signal: null };
}

const sessions = new Map<string, Promise<Session>>();

/** The driver's result for the plugin, computed once. */
function session(entry: HostileEntry): Promise<Session> {
  const held = sessions.get(entry.name) ?? hold(entry);
  sessions.set(entry.name, held);
  return held;
}

async function hold(entry: HostileEntry): Promise<Session> {
  return runDriver(await buildHostileDriver(), await buildHostile(entry.name), {
    idle: entry.idle,
    hangsIn: entry.process === 'hangs' ? entry.acts_in : undefined,
  });
}

const catalogue = hostileCatalogue();
const find = (name: string): HostileEntry => catalogue.find((entry) => entry.name === name)!;

const part = partOf(hostileNames(), HOSTILE_SAMPLE);

beforeAll(async () => {
  await Promise.all([buildHostileDriver(), ...part.map((name) => buildHostile(name))]);
});

it('has every plugin in the catalogue, and no other', () => {
  expect(catalogue.map((entry) => entry.name).sort()).toEqual(hostileNames());
});

describe('each plugin does what the catalogue says', () => {
  it.each(part)('%s', async (name) => {
    const entry = find(name);
    const { end, inFlight, complaint, leftovers } = await session(entry);
    expect({ end, complaint }).toEqual({
      end: promisedEnd(entry),
      complaint: entry.complaint === undefined ? '' : expect.stringMatching(new RegExp(entry.complaint)),
    });
    // The call in which the debugger stops the process depends on scheduling.
    if (entry.process !== 'survives' && entry.name !== 'held-by-debugger')
      expect(inFlight).toBe(entry.acts_in === 'thread' ? '' : entry.acts_in);
    expect(leftovers).toBe(entry.leaves === 'process');
  });
});

describe('their output', () => {
  it('the toy plugin prints nothing', async () => {
    const { stdout, stderr } = await session(find('toy'));
    expect([stdout.bytes, stderr.bytes]).toEqual([0, 0]);
  });

  it.each(partOf(['stdout', 'stderr'] as const, ['stderr']))('floods-%s writes a gibibyte', async (stream) => {
    expect((await session(find(`floods-${stream}`)))[stream].bytes).toBe(GIB);
  });

  it('stdout-control-characters writes what breaks reports', async () => {
    const { stdout, stderr } = await session(find('stdout-control-characters'));
    for (const bytes of ['\x1b[31m', '\0', ']]>', '\xe2\x82 ', '\xed\xa0\x80', '\xef\xbf\xbe'])
      expect(stdout.head.includes(Buffer.from(bytes, 'latin1')), JSON.stringify(bytes)).toBe(true);
    expect(stderr.head).toEqual(stdout.head);
  });

  it('abort-in-client-create prints the failed check', async () => {
    const { stderr } = await session(find('abort-in-client-create'));
    expect(stderr.head.toString()).toContain('Check failed: device_count > 0 (0 vs. 0)');
  });
});

it('the toy plugin works without the function tables of errors and memories, at API 0.81', async () => {
  const plugin = await buildHostile('toy', { minor: 81 });
  const { end, complaint } = await runDriver(await buildHostileDriver({ minor: 81 }), plugin);
  expect({ end, complaint }).toEqual({ end: { code: 0, signal: null }, complaint: '' });
});
