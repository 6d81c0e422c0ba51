import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { scratchDirectory } from '../../harness/base/scratch.ts';

/** Result of running the driver with a plugin. */
export interface Session {
  end: 'hung' | { code: number | null; signal: NodeJS.Signals | null };
  /** The call in progress when it ended; empty if there was none. */
  inFlight: string;
  /** The first defect that the driver found; empty if there was none. */
  complaint: string;
  /** Whether processes of it were still running after its end. */
  leftovers: boolean;
  stdout: Captured;
  stderr: Captured;
}

/** The beginning of a stream, and its total size in bytes. */
interface Captured {
  head: Buffer;
  bytes: number;
}

interface SessionOptions {
  /** A call that is expected never to return. */
  hangsIn?: string;
  idle?: boolean;
}

/** Sizes of the two texts in the driver's trail (`Trail` in fixtures/hostile/driver.c). */
const IN_FLIGHT = 128;
const COMPLAINT = 512;

/** A call in progress for longer than this hangs; none of the toy plugin takes a millisecond. */
const HANG_MS = 1000;
/** After this time in another call than the expected one, waiting is pointless. */
const ELSEWHERE_MS = 20_000;

/** Runs the driver on `plugin`, in a process group that is killed afterwards whatever the plugin did. */
export async function runDriver(driver: string, plugin: string, options: SessionOptions = {}): Promise<Session> {
  const directory = scratchDirectory('hostile');
  const trail = join(directory, 'trail');
  writeFileSync(trail, Buffer.alloc(IN_FLIGHT + COMPLAINT));
  const child = spawn(driver, [plugin, trail, ...(options.idle ? ['idle'] : [])], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stdout = capture(child.stdout);
  const stderr = capture(child.stderr);
  try {
    const ended = new Promise<Session['end']>((resolve, reject) => {
      child.once('error', reject);
      // Not `close`: a process that the plugin left behind may hold the pipes open.
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    const end = await (options.hangsIn === undefined ? ended : Promise.race([ended, hang(trail, options.hangsIn)]));
    const leftovers = end !== 'hung' && groupExists(child);
    if (!leftovers && end !== 'hung') await drained(child);
    const { inFlight, complaint } = readTrail(trail);
    return { end, inFlight, complaint, leftovers, stdout, stderr };
  } finally {
    killGroup(child);
    rmSync(directory, { recursive: true });
  }
}

function capture(stream: NodeJS.ReadableStream): Captured {
  const captured: Captured = { head: Buffer.alloc(0), bytes: 0 };
  stream.on('data', (chunk: Buffer) => {
    captured.bytes += chunk.length;
    if (captured.head.length < 4096) captured.head = Buffer.concat([captured.head, chunk]).subarray(0, 4096);
  });
  return captured;
}

async function drained({ stdout, stderr }: ChildProcess): Promise<void> {
  const open = [stdout, stderr].filter((stream) => stream && !stream.closed);
  await Promise.all(open.map((stream) => new Promise((resolve) => stream?.once('close', resolve))));
}

/** Resolves once the call has been in progress for so long that it hangs, or any other for much longer. */
async function hang(trail: string, call: string): Promise<'hung'> {
  let last = '';
  let since = performance.now();
  for (;;) {
    const { inFlight } = readTrail(trail);
    if (inFlight !== last) since = performance.now();
    last = inFlight;
    if (performance.now() - since >= (inFlight === call ? HANG_MS : ELSEWHERE_MS)) return 'hung';
    await sleep(20);
  }
}

function readTrail(trail: string): { inFlight: string; complaint: string } {
  const bytes = readFileSync(trail);
  const text = (from: number, to: number) => bytes.toString('latin1', from, to).replace(/\0.*$/s, '');
  return { inFlight: text(0, IN_FLIGHT), complaint: text(IN_FLIGHT, IN_FLIGHT + COMPLAINT) };
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  try {
    return child.pid !== undefined && process.kill(-child.pid, signal);
  } catch {
    return false; // no process is left in the group
  }
}

const groupExists = (child: ChildProcess): boolean => signalGroup(child, 0);
const killGroup = (child: ChildProcess): boolean => signalGroup(child, 'SIGKILL');
