import type { HostArray } from '../../../knowledge/numerics/array.ts';
import { fromBytes } from '../../../knowledge/numerics/array.ts';
import { Buffer, hostDestination } from '../../pjrt/buffer.ts';
import { elsewhere } from '../../pjrt/calls.ts';
import { Event } from '../../pjrt/event.ts';
import { compileProgram } from '../../steps/compile.ts';
import type { CaseContext } from '../../steps/context.ts';
import { rawContents } from '../../steps/device-format.ts';
import { untilItWaits } from '../../steps/execute.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { makePending } from '../../steps/pending.ts';
import { fetchArray, startPut } from '../../steps/transfer.ts';
import { startInFuture } from '../buffers/raw-future.ts';
import { oneOf, optional, probe, text } from '../probe.ts';
import { bytesAsArray, elementwise, hashed, same, violated } from '../support/checks.ts';
import { owned } from '../support/sample-run.ts';
import { defaultMemory } from '../support/sending.ts';

/** Adds one to an array of this shape. */
const PROGRAM = 'misc/add_one_1024';
const SHAPE = [1024];
const EXECUTE = 'PJRT_LoadedExecutable_Execute';

/** What waits for the contents of a buffer. */
interface Waiting {
  event: Event;
  /** What is there when the event is ready. */
  contents(): HostArray;
}

interface Operation {
  call: string;
  requirement: string;
  /** Ready once its buffer is, whatever else is withheld; of others only too early an end is wrong. */
  itself?: true;
  expected?: (array: HostArray) => HostArray;
  /** It gives the bytes of the device, which are compared with those of a buffer that nothing was withheld from. */
  onDevice?: true;
  begin(context: CaseContext, buffer: Buffer, array: HostArray): Promise<Waiting>;
}

const owning = (context: CaseContext, buffer: Buffer): Waiting => {
  context.scope.own(buffer);
  return { event: context.scope.own(buffer.readyEvent()), contents: () => fetchArray(context, buffer) };
};

async function execution(context: CaseContext, buffer: Buffer) {
  const run = await compileProgram(context, PROGRAM).executeAsync(context.arena, [[buffer]], { events: true });
  const { outputs, events } = owned(context, run);
  return { output: outputs[0]![0]!, event: events[0]! };
}

/** Bytes on the device, where those of another buffer with the same array are the same. */
function unpaddedSize(buffer: Buffer, { bytes }: HostArray): number {
  const size = buffer.onDeviceSize();
  if (size !== bytes.length) throw new NotSupported('the device pads the array, and padding may hold anything');
  return size;
}

const plusOne = (array: HostArray): HostArray => elementwise((x) => x + 1, array);

const OPERATIONS = {
  contents: {
    call: 'PJRT_Buffer_ReadyEvent',
    requirement: 'BUF-RDY-001',
    itself: true,
    begin: async (context, buffer) => ({
      event: context.scope.own(buffer.readyEvent()),
      contents: () => fetchArray(context, buffer),
    }),
  },
  read: {
    call: 'PJRT_Buffer_ToHostBuffer',
    requirement: 'BUF-D2H-009',
    begin: async (context, buffer, { bytes, dtype, shape }) => {
      const { event, take } = await elsewhere(buffer.copyingToHost(context.arena, bytes.length));
      return { event: context.scope.own(event), contents: () => fromBytes(dtype, shape, take()) };
    },
  },
  'raw-read': {
    call: 'PJRT_Buffer_CopyRawToHost',
    requirement: 'BUF-RAW-001',
    onDevice: true,
    begin: async (context, buffer, array) => {
      const size = unpaddedSize(buffer, array);
      const { address, bytes } = hostDestination(context.arena, size);
      const fields = { buffer: buffer.pointer, dst: address, offset: 0, transfer_size: size };
      const event = await context.api.invokeAsync(
        'PJRT_Buffer_CopyRawToHost',
        fields,
        (call) => new Event(context.api, call.word('event')),
      );
      return { event: context.scope.own(event), contents: () => bytesAsArray(bytes.slice(0, size)) };
    },
  },
  'deferred-read': {
    call: 'PJRT_Buffer_CopyRawToHostFuture',
    requirement: 'BUF-RAW-004',
    onDevice: true,
    begin: async (context, buffer, array) => {
      const size = unpaddedSize(buffer, array);
      const { address, bytes } = hostDestination(context.arena, size);
      const event = startInFuture(context, buffer, { offset: 0, size }, address);
      return { event, contents: () => bytesAsArray(bytes.slice(0, size)) };
    },
  },
  execution: {
    call: EXECUTE,
    requirement: 'RUN-EVT-001',
    expected: plusOne,
    begin: async (context, buffer) => {
      const { event, output } = await execution(context, buffer);
      return { event, contents: () => fetchArray(context, output) };
    },
  },
  output: {
    call: EXECUTE,
    requirement: 'BUF-RDY-001',
    expected: plusOne,
    begin: async (context, buffer) => owning(context, (await execution(context, buffer)).output),
  },
  'device-copy': {
    call: 'PJRT_Buffer_CopyToDevice',
    requirement: 'BUF-CPY-001',
    begin: async (context, buffer) => {
      const [, other] = context.client.addressableDevices();
      if (!other) throw new NotSupported('there is no second device');
      return owning(context, await copied(context, 'PJRT_Buffer_CopyToDevice', buffer, { dst_device: other.pointer }));
    },
  },
  'memory-copy': {
    call: 'PJRT_Buffer_CopyToMemory',
    requirement: 'BUF-CPY-003',
    begin: async (context, buffer) => {
      const own = defaultMemory(context).pointer;
      const memories = context.client.firstDevice().memories();
      const other = memories.find(({ pointer }) => pointer !== own);
      if (!other) throw new NotSupported('there is no second memory');
      return owning(context, await copied(context, 'PJRT_Buffer_CopyToMemory', buffer, { dst_memory: other.pointer }));
    },
  },
} as const satisfies Readonly<Record<string, Operation>>;

function readyBuffer(context: CaseContext, array: HostArray): Buffer {
  const buffer = startPut(context, array);
  buffer.awaitReady();
  return buffer;
}

const copied = ({ api }: CaseContext, call: string, { pointer }: Buffer, to: Record<string, bigint>): Promise<Buffer> =>
  api.invokeAsync(call, { buffer: pointer, ...to }, (made) => new Buffer(api, made.word('dst_buffer')));

/**
 * Four buffers wait for their contents, and an operation waits for each of them. What ends one of them ends no other. What is
 * queued behind something else may wait for it, and a call may wait before it returns. The buffers may be ended meanwhile.
 */
export const exchanged = probe(
  'exchanged',
  {
    of: oneOf(...(Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[])),
    via: optional(oneOf('manager', 'alias', 'dependency'), 'manager'),
    order: text,
    ended: optional(oneOf('never', 'deleted', 'destroyed'), 'never'),
  },
  async (context, { of, via, order, ended }) => {
    const operation: Operation = OPERATIONS[of];
    const { call, requirement, expected = (array) => array, onDevice } = operation;
    const wanted = (array: HostArray): HostArray =>
      onDevice ? bytesAsArray(rawContents(context, readyBuffer(context, array))) : expected(array);
    const lates = [1, 2, 3, 4].map((seed) => {
      const array = hashed('f32', SHAPE, seed);
      return { array, pending: makePending(context, via, { data: array }) };
    });
    const begun = new Map<number, Waiting>();
    const beginning = lates.map(async ({ array, pending }, n) => {
      begun.set(n, await operation.begin(context, pending.buffer!, array));
    });
    const all = Promise.all(beginning);
    // An operation that is refused is reported below, after the others have got what they wait for.
    all.catch(() => {});
    await context.yieldToCalls();
    await untilItWaits();
    if (ended !== 'never') {
      // Who ends what a call has in hand is wrong.
      if (begun.size < lates.length) {
        for (const { pending } of lates) await pending.complete();
        await all;
        throw new NotSupported(`${call} waits for the contents before it returns`);
      }
      for (const { pending } of lates)
        if (ended === 'deleted') pending.buffer!.delete();
        else pending.buffer!.destroy();
    }
    const withheld = new Set(lates.keys());
    const check = (): void => {
      for (const n of withheld)
        if (begun.get(n)?.event.isReady())
          violated(
            `the event of operation ${n + 1} of 4 is ready before the contents that it waits for have come`,
            call,
            requirement,
            'pjrt.EventContract',
          );
    };
    try {
      check();
      for (const n of [...order].map(Number)) {
        withheld.delete(n);
        await lates[n]!.pending.complete();
        if (operation.itself) await begun.get(n)!.event.awaitAsync();
        check();
      }
    } finally {
      for (const n of withheld) await lates[n]!.pending.complete();
    }
    await all;
    for (const [n, { array }] of lates.entries()) {
      const { event, contents } = begun.get(n)!;
      await event.awaitAsync();
      same(`what operation ${n + 1} of 4 gives`, wanted(array), contents(), call, requirement);
    }
  },
);
