import { fromValues, type HostArray } from '../../knowledge/numerics/array.ts';
import { dtype } from '../../knowledge/numerics/dtypes.ts';
import type { SelfEnding } from '../../suite/types.ts';
import { watchRunDelay } from '../ffi/run-delay.ts';
import type { Buffer } from '../pjrt/buffer.ts';
import { type Client, SEMANTICS } from '../pjrt/client.ts';
import { AbsentError, PjrtError } from '../pjrt/errors.ts';
import type { Event } from '../pjrt/event.ts';
import type { LoadedExecutable } from '../pjrt/executable.ts';
import { compileTool } from './compile.ts';
import type { CaseContext } from './context.ts';
import { NotSupported, SuiteFault } from './outcome.ts';
import { endTransfer, fetchArray, startPut } from './transfer.ts';

// What is in progress on the device and ends by itself. On some plugins nothing ever is: their calls return when the work is
// done. A check of what happens meanwhile proves nothing there, which is said instead of a pass.

/** A buffer whose contents are on their way. The case owns it. */
export interface Started {
  buffer: Buffer;
  /** The completion event of the execution whose output it is, if one was asked for. */
  completion: Event | undefined;
  /** The contents that it will have: 4 f32. */
  data: HostArray;
  /** The buffer from which they come. */
  source: Buffer;
}

/** Work that can be started again and again. */
export interface Work {
  start(options?: { events?: boolean }): Started;
  /** What is true of a plugin on which it is never in flight. */
  atOnce: string;
}

/** Work with the ready event of its buffer, which was not ready a moment ago. */
export interface InFlight extends Started {
  event: Event;
}

/** Long enough for a few calls, even if the system runs something else in between. */
const LONG_ENOUGH_MS = 25;
const FIRST_ROUNDS = 10;
/** Rounds of asynchrony/slow after which it has its limit, however long they take. */
const EXACT_ROUNDS = 100;
/** What is long enough, this many times, is about half a second: enough to do, and no wait. */
const MUCH = 10;
/** From one attempt to the next: towards the time wanted, but no further than a measurement says, which may be wrong. */
const FACTOR = { least: 1.5, most: 4 };
const MOST_ROUNDS = 500_000_000;
const ATTEMPTS = 3;
/** Elements of the argument of asynchrony/ends: 64 MiB. */
const BIG = 1 << 24;
const EDGE = 2;

const vector = (of: readonly number[]): HostArray => fromValues(dtype('f32'), [of.length], of);

const WORK: Readonly<Record<Exclude<SelfEnding, 'anything'>, (context: CaseContext) => Work>> = {
  execution: slowExecution,
  transfer: bigTransfer,
  copy: bigCopy,
};

/** Prepares work of a kind. @throws NotSupported, AbsentError, PjrtError if the plugin lacks what it takes */
export const workOf = (context: CaseContext, kind: keyof typeof WORK): Work => WORK[kind](context);

/** Starts work of a kind that is in flight. @throws NotSupported if it never is */
export function startInFlight(context: CaseContext, kind: SelfEnding): InFlight {
  if (kind !== 'anything') return inFlight(context, workOf(context, kind));
  const reasons: string[] = [];
  for (const one of Object.keys(WORK) as (keyof typeof WORK)[]) {
    try {
      return inFlight(context, workOf(context, one));
    } catch (error) {
      if (!(error instanceof NotSupported || error instanceof AbsentError || error instanceof PjrtError)) throw error;
      reasons.push(error.message);
    }
  }
  throw new NotSupported(`nothing was in flight: ${reasons.join('; ')}`);
}

function inFlight(context: CaseContext, { start, atOnce }: Work): InFlight {
  const { never } = knownOf(context.client);
  for (let attempt = 0; attempt < ATTEMPTS && !never.has(atOnce); attempt++) {
    const started = start();
    const event = context.scope.own(started.buffer.readyEvent());
    if (!event.isReady()) return { ...started, event };
  }
  never.add(atOnce);
  throw new NotSupported(atOnce);
}

/** What is known of a client: how many rounds of asynchrony/slow take long enough, and what is never in flight. */
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

/** An execution that takes 25 ms or more on this plugin. */
function slowExecution(context: CaseContext): Work {
  const executable = compileTool(context, 'asynchrony/slow');
  const source = startPut(context, vector([3, -1, 4, -5]));
  const data = vector([5, 1, 6, -3]);
  const rounds = startPut(context, roundsArray(Math.max(EXACT_ROUNDS, roundsThatTake(context, executable, source))));
  return {
    start: ({ events = false } = {}) => ({ ...run(context, executable, [rounds, source], events), data, source }),
    atOnce: 'the output of a long execution is ready when PJRT_LoadedExecutable_Execute returns',
  };
}

/** A number of rounds as the argument of a program. */
export const roundsArray = (rounds: number): HostArray => fromValues(dtype('s32'), [], [rounds]);

/** Measured by reading the output, and not by an event, which may be what is wrong. */
function roundsThatTake(context: CaseContext, executable: LoadedExecutable, x: Buffer): number {
  const facts = knownOf(context.client);
  if (facts.rounds !== undefined) return facts.rounds;
  const milliseconds = (rounds: number): number => {
    const n = startPut(context, roundsArray(rounds));
    const [began, delayed] = [performance.now(), watchRunDelay()];
    fetchArray(context, run(context, executable, [n, x], false).buffer);
    return performance.now() - began - delayed();
  };
  // The first run of a program may include work that later runs do not have.
  milliseconds(1);
  const least = milliseconds(1);
  let rounds = FIRST_ROUNDS;
  for (
    let took = 0;
    ;
    rounds = Math.ceil(rounds * Math.min(FACTOR.most, Math.max(FACTOR.least, (1.2 * LONG_ENOUGH_MS) / took)))
  ) {
    took = Math.max(milliseconds(rounds) - least, 1e-3);
    // Something else may have taken the time, but not twice.
    if (took >= LONG_ENOUGH_MS) took = Math.max(Math.min(took, milliseconds(rounds) - least), 1e-3);
    if (took >= LONG_ENOUGH_MS || rounds >= MOST_ROUNDS) break;
  }
  facts.rounds = rounds;
  return rounds;
}

/** As many rounds of a small loop as this plugin makes in about half a second: they may cost a nanosecond each, or a launch. */
export function roundsInTime(context: CaseContext, atMost: number): number {
  if (atMost <= FIRST_ROUNDS) return atMost;
  try {
    const executable = compileTool(context, 'asynchrony/slow');
    return Math.min(atMost, MUCH * roundsThatTake(context, executable, startPut(context, vector([3, -1, 4, -5]))));
  } catch (error) {
    // What is wrong with the plugin is for the case to say.
    if (error instanceof SuiteFault) throw error;
    return atMost;
  }
}

/** The ends of 64 MiB that are on their way to the device. */
function bigTransfer(context: CaseContext): Work {
  const executable = compileTool(context, 'asynchrony/ends');
  const data = vector([1, 2, -3, -4]);
  return {
    start: ({ events = false } = {}) => {
      const source = sendBig(context, data, 'until-transfer-completes');
      return { ...run(context, executable, [source], events), data, source };
    },
    atOnce: 'a transfer of 64 MiB is complete when PJRT_Client_BufferFromHostBuffer returns',
  };
}

/** The ends of 64 MiB that are being copied from another device. */
function bigCopy(context: CaseContext): Work {
  const [here, other] = context.client.addressableDevices();
  if (!other) throw new NotSupported('the client has one device, so there is nothing to copy from');
  const executable = compileTool(context, 'asynchrony/ends');
  const data = vector([8, 7, -6, -5]);
  const source = sendBig(context, data, 'during-call', other.pointer);
  source.awaitReady();
  return {
    start: ({ events = false } = {}) => {
      const copy = context.scope.own(source.copyToDevice(here!.pointer));
      return { ...run(context, executable, [copy], events), data, source };
    },
    atOnce: 'a copy of 64 MiB is complete when PJRT_Buffer_CopyToDevice returns',
  };
}

/** 64 MiB with these values at its ends, sent and not waited for. */
function sendBig(
  context: CaseContext,
  ends: HostArray,
  semantics: 'during-call' | 'until-transfer-completes',
  device = context.client.firstDevice().pointer,
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

/** Starts an execution with one output. */
function run(
  { arena, scope }: CaseContext,
  executable: LoadedExecutable,
  args: readonly Buffer[],
  events: boolean,
): Pick<Started, 'buffer' | 'completion'> {
  const made = executable.execute(arena, [args], { events });
  const [completion] = made.events;
  return { buffer: scope.own(made.outputs[0]![0]!), completion: completion && scope.own(completion) };
}
