import type { Call } from '../../pjrt/call.ts';
import type { CaseContext } from '../../steps/context.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { checks, number, optional, type Run } from '../probe.ts';
import { filled, violated } from '../support/checks.ts';
import { upload } from '../support/client-work.ts';
import { nap } from '../support/nap.ts';

const FUNCTION = 'PJRT_Device_MemoryStats';
const POISON = 0xcc;

interface Stats {
  /** Figures that are set, by field. */
  figures: Map<string, bigint>;
  /** Bytes of the flags as the plugin left them. */
  flags: Map<string, number>;
}

/** Asks with a struct full of poison behind its inputs: XLA does not zero it either. */
function ask(context: CaseContext, device = context.client.firstDevice()): Stats {
  const { api } = context;
  const call: Call = api.begin(FUNCTION);
  try {
    const { size } = call.layout;
    const { offset, size: word } = call.layout.field('device');
    call.reset();
    call.bytes.fill(POISON, offset + word, size);
    call.setWord('device', device.pointer);
    call.run();
    const { outputs } = call.layout;
    const flags = new Map(outputs.filter((f) => f.size === 1).map((f) => [f.name, call.byte(f.name)]));
    const figures = outputs.filter((f) => f.size === 8 && (f.flag === undefined || flags.get(f.flag) === 1));
    return { flags, figures: new Map(figures.map((f) => [f.name, call.int64(f.name)])) };
  } finally {
    context.instrument.breadcrumb?.idle();
    api.finish(call);
  }
}

const OPTIONS = { bytes: optional(number, 1 << 24) };
type Check = Run<typeof OPTIONS>;

/** Bytes in use are there; a plugin without figures is unsupported. */
const memoryStatsAnswered: Check = (context) => {
  const inUse = ask(context).figures.get('bytes_in_use')!;
  if (inUse === BigInt.asIntN(64, 0xccccccccccccccccn)) violated('bytes_in_use was not written', FUNCTION);
  if (inUse < 0n) violated(`bytes_in_use is ${inUse}`, FUNCTION);
};

/** Every flag is written, to true or false. */
const memoryStatsFlags: Check = (context) => {
  for (const [name, byte] of ask(context).flags)
    if (byte > 1)
      violated(
        `${name} was ${byte === POISON ? 'not written' : `set to ${byte}, which is neither true nor false`}`,
        FUNCTION,
      );
};

/** Figures are not negative, and none is above its peak or limit. */
const memoryStatsPlausible: Check = (context) => {
  const { figures } = ask(context);
  for (const [name, value] of figures) if (value < 0n) violated(`${name} is ${value}`, FUNCTION);
  const notAbove = (low: string, high: string): void => {
    const [a, b] = [figures.get(low), figures.get(high)];
    if (a !== undefined && b !== undefined && b !== 0n && a > b)
      violated(`${low} is ${a}, above ${high}, which is ${b}`, FUNCTION);
  };
  notAbove('bytes_in_use', 'peak_bytes_in_use');
  notAbove('bytes_in_use', 'bytes_limit');
  notAbove('bytes_reserved', 'peak_bytes_reserved');
  notAbove('pool_bytes', 'peak_pool_bytes');
};

/** Bytes in use follow two large buffers, also while one of them is read. */
const memoryStatsFollow: Check = (context, { bytes }) => {
  const inUse = () => ask(context).figures.get('bytes_in_use')!;
  const before = settled(inUse);
  const [one, two] = [large(context, bytes), large(context, bytes)];
  const both = inUse();
  // More than the plugin may hold back of what a read needs.
  for (let i = 0; i < READS; i++) one.toHost(context.arena, bytes);
  const read = inUse();
  one.destroy();
  const during = inUse();
  two.destroy();
  const after = least(inUse, (now) => during - now >= BigInt(bytes));
  if (both - before < BigInt(2 * bytes))
    violated(`bytes_in_use grew by ${both - before} with two buffers of ${bytes} bytes`, FUNCTION);
  if (read - both >= BigInt(READS * bytes))
    violated(`bytes_in_use grew by ${read - both} while a buffer of ${bytes} bytes was read ${READS} times`, FUNCTION);
  if (during - before < BigInt(bytes))
    violated(`bytes_in_use is ${during - before} above the start while a buffer of ${bytes} bytes is alive`, FUNCTION);
  if (during - after < BigInt(bytes))
    violated(`bytes_in_use shrank by ${during - after} when a buffer of ${bytes} bytes was destroyed`, FUNCTION);
};

/** On every device, bytes in use grow with what is put there. Devices that share their memory may all report it. */
const memoryStatsFollowOnEach: Check = (context, { bytes }) => {
  for (const [i, device] of context.client.addressableDevices().entries()) {
    const inUse = () => ask(context, device).figures.get('bytes_in_use')!;
    const before = settled(inUse);
    const buffer = large(context, bytes, device);
    const grew = inUse() - before;
    buffer.destroy();
    if (grew < BigInt(bytes))
      violated(`bytes_in_use of device ${i} grew by ${grew} with a buffer of ${bytes} bytes on it`, FUNCTION);
  }
};

const READS = 2;

/** Between two looks at a figure, and the most of them: memory may come back a while after its buffer was destroyed. */
const LOOK_MS = 20;
const LOOKS = 100;

/** A figure when two looks agree. */
function settled(figure: () => bigint): bigint {
  let last = figure();
  for (let i = 0; i < LOOKS; i++) {
    nap(LOOK_MS);
    const now = figure();
    if (now === last) break;
    last = now;
  }
  return last;
}

/** A figure that falls, as soon as it has fallen far enough. */
function least(figure: () => bigint, isEnough: (now: bigint) => boolean): bigint {
  let now = figure();
  for (let i = 0; i < LOOKS && !isEnough(now); i++) {
    nap(LOOK_MS);
    now = figure();
  }
  return now;
}

/** What else happens on a device may come between two looks at its figures, but not each time. */
const TRIES = 5;

/** Clearing resets peaks and nothing else. */
const memoryStatsCleared: Check = (context, { bytes }) => {
  const CLEAR = 'PJRT_Device_ClearMemoryStats';
  const inUseNow = () => ask(context).figures.get('bytes_in_use')!;
  let problem: string | undefined;
  for (let i = 0; i < TRIES; i++) {
    large(context, bytes).destroy();
    const before = settled(inUseNow);
    context.api.invoke(CLEAR, (call) => call.setWord('device', context.client.firstDevice().pointer));
    const after = ask(context).figures;
    const inUse = after.get('bytes_in_use')!;
    const peak = after.get('peak_bytes_in_use');
    if (peak === undefined) throw new NotSupported('the plugin gives no peak_bytes_in_use');
    if (before !== inUse) problem = 'clearing the figures changed bytes_in_use';
    else if (peak > inUse) problem = `after clearing, peak_bytes_in_use is ${peak}, but bytes_in_use is ${inUse}`;
    else return;
  }
  violated(problem!, CLEAR);
};

const large = (context: CaseContext, bytes: number, { pointer } = context.client.firstDevice()) =>
  context.scope.own(upload(context.arena, context.client, filled('u8', [bytes], 1), { device: pointer }));

/** The memory statistics of devices. */
export const memoryStats = checks('memory-stats', OPTIONS, {
  answered: memoryStatsAnswered,
  flags: memoryStatsFlags,
  plausible: memoryStatsPlausible,
  follow: memoryStatsFollow,
  'follow-on-each': memoryStatsFollowOnEach,
  cleared: memoryStatsCleared,
});
