import { fromValues, type HostArray } from '../numerics/array.ts';
import { dtype } from '../numerics/dtypes.ts';
import type { Buffer } from '../pjrt/buffer.ts';
import { type Client, SEMANTICS } from '../pjrt/client.ts';
import type { Event } from '../pjrt/event.ts';
import { AbsentError, PjrtError } from '../pjrt/errors.ts';
import type { LoadedExecutable } from '../pjrt/executable.ts';
import { compileProgram } from './compile.ts';
import type { CaseContext } from './context.ts';
import { NotSupported } from './outcome.ts';
import { endTransfer, fetchArray, startPut } from './transfer.ts';

// What is in progress on the device and ends by itself. On some plugins nothing ever is: their calls return when the work is
// done. A check of what happens meanwhile proves nothing there, which is said instead of a pass.

/** A buffer whose contents are on their way. The case owns it. */
export interface InFlight {
  buffer: Buffer;
  /** Its ready event, which was not ready a moment ago. */
  event: Event;
  /** The contents that it will have: 16 f32. */
  data: HostArray;
  /** The buffer from which they come. */
  source: Buffer;
}

/** Long enough for a few calls, even if the system runs something else in between. */
const LONG_ENOUGH_MS = 25;
const FIRST_ROUNDS = 1000;
const FACTOR = 4;
const MOST_ROUNDS = 500_000_000;
const ATTEMPTS = 3;
/** Elements of asynchrony/ends: 64 MiB. */
const BIG = 1 << 24;
const EDGE = 8;

const SLOW = 'asynchrony/slow';
const ENDS = 'asynchrony/ends';

const values = (of: readonly number[]): HostArray => fromValues(dtype('f32'), [of.length], of);

/** Whichever of these is in flight on this plugin. @throws NotSupported if nothing is */
export function anythingRunning(context: CaseContext): InFlight {
  const reasons: string[] = [];
  for (const start of [runningExecution, runningTransfer, runningCopy]) {
    try {
      return start(context);
    } catch (error) {
      if (!(error instanceof NotSupported || error instanceof AbsentError || error instanceof PjrtError)) throw error;
      reasons.push(error.message);
    }
  }
  throw new NotSupported(`nothing was in flight: ${reasons.join('; ')}`);
}

/** What is known of a client: how many rounds of asynchrony/slow take long enough, and what it never does. */
interface Known {
  rounds?: number;
  never: Set<string>;
}
const known = new WeakMap<Client, Known>();

function knownOf(client: Client): Known {
  const facts = known.get(client) ?? { never: new Set() };
  known.set(client, facts);
  return facts;
}

/** The output of an execution that takes 25 ms or more on this plugin. @throws NotSupported if it is there at once */
export function runningExecution(context: CaseContext): InFlight {
  const input = values([3, -1, 4, 1, -5, 9, 2, -6, 5, 3, -5, 8, 9, -7, 9, 3]);
  const executable = compileProgram(context, SLOW);
  const source = startPut(context, input);
  const rounds = roundsThatTake(context, executable, source);
  const data = values([5, 1, 6, 3, -3, 11, 4, -4, 7, 5, -3, 10, 11, -5, 11, 5]);
  return inFlight(
    context,
    'the output of a long execution is ready when PJRT_LoadedExecutable_Execute returns',
    () => ({
      buffer: runSlow(context, executable, rounds, source),
      data,
      source,
    }),
  );
}

function runSlow(context: CaseContext, executable: LoadedExecutable, rounds: number, x: Buffer): Buffer {
  const n = startPut(context, fromValues(dtype('s32'), [], [rounds]));
  const { outputs } = executable.execute(context.arena, [[n, x]]);
  return context.scope.own(outputs[0]![0]!);
}

/** Measured by reading the output, and not by an event, which may be what is wrong. */
function roundsThatTake(context: CaseContext, executable: LoadedExecutable, x: Buffer): number {
  const facts = knownOf(context.client);
  if (facts.rounds !== undefined) return facts.rounds;
  const milliseconds = (rounds: number): number => {
    const began = performance.now();
    fetchArray(context, runSlow(context, executable, rounds, x));
    return performance.now() - began;
  };
  // The first run of a program may include work that later runs do not have.
  milliseconds(1);
  let rounds = FIRST_ROUNDS;
  while (rounds < MOST_ROUNDS && milliseconds(rounds) < LONG_ENOUGH_MS) rounds *= FACTOR;
  facts.rounds = rounds;
  return rounds;
}

/** The ends of 64 MiB that are on their way to the device. @throws NotSupported if they are there at once */
export function runningTransfer(context: CaseContext): InFlight {
  const executable = compileProgram(context, ENDS);
  const data = values([1, 2, 3, 4, 5, 6, 7, 8, -1, -2, -3, -4, -5, -6, -7, -8]);
  return inFlight(context, 'a transfer of 64 MiB is complete when PJRT_Client_BufferFromHostBuffer returns', () => {
    const source = sendBig(context, data, 'until-transfer-completes');
    return { buffer: endsOf(context, executable, source), data, source };
  });
}

/** The ends of 64 MiB that are being copied to the device, from another one or from another memory. @throws NotSupported */
export function runningCopy(context: CaseContext): InFlight {
  const devices = context.client.addressableDevices();
  if (devices.length < 2) throw new NotSupported('the client has one device, so there is nothing to copy from');
  const executable = compileProgram(context, ENDS);
  const data = values([8, 7, 6, 5, 4, 3, 2, 1, -8, -7, -6, -5, -4, -3, -2, -1]);
  const there = sendBig(context, data, 'during-call', devices[1]!.pointer);
  there.awaitReady();
  return inFlight(context, 'a copy of 64 MiB is complete when PJRT_Buffer_CopyToDevice returns', () => {
    const copy = there.copyToDevice(devices[0]!.pointer);
    context.scope.own(copy);
    return { buffer: endsOf(context, executable, copy), data, source: there };
  });
}

/** 64 MiB with these values at its ends, sent and not waited for. */
function sendBig(
  context: CaseContext,
  ends: HostArray,
  semantics: 'during-call' | 'until-transfer-completes',
  device = context.client.addressableDevices()[0]!.pointer,
): Buffer {
  const { arena, scope, client } = context;
  const block = arena.alloc(BIG * 4, 64);
  block.bytes.set(ends.bytes.subarray(0, EDGE * 4));
  block.bytes.set(ends.bytes.subarray(EDGE * 4), (BIG - EDGE) * 4);
  const { buffer, done } = client.bufferFromHost(arena, {
    data: block.address,
    type: ends.dtype.enumValue,
    dims: [BIG],
    semantics: SEMANTICS[semantics],
    device,
  });
  // The memory must stay until the transfer is over, also if the case ends before.
  scope.defer(() => endTransfer(done));
  return scope.own(buffer);
}

function endsOf({ arena, scope }: CaseContext, executable: LoadedExecutable, big: Buffer): Buffer {
  const { outputs } = executable.execute(arena, [[big]]);
  return scope.own(outputs[0]![0]!);
}

/** @param never what is the case if none of several attempts is in flight @throws NotSupported with that */
function inFlight(context: CaseContext, never: string, start: () => Omit<InFlight, 'event'>): InFlight {
  const facts = knownOf(context.client);
  for (let attempt = 0; attempt < ATTEMPTS && !facts.never.has(never); attempt++) {
    const started = start();
    const event = context.scope.own(started.buffer.readyEvent());
    if (!event.isReady()) return { ...started, event };
  }
  facts.never.add(never);
  throw new NotSupported(never);
}
