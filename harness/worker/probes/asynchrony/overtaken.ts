import { fromBytes, type HostArray } from '../../../knowledge/numerics/array.ts';
import { dtype } from '../../../knowledge/numerics/dtypes.ts';
import { Buffer } from '../../pjrt/buffer.ts';
import { here } from '../../pjrt/calls.ts';
import { compileProgram } from '../../steps/compile.ts';
import type { CaseContext } from '../../steps/context.ts';
import { rawContents, startRawRead } from '../../steps/device-format.ts';
import { NotSupported, refusal } from '../../steps/outcome.ts';
import { donateWithDependency } from '../../steps/pending.ts';
import { fetchArray, startPut } from '../../steps/transfer.ts';
import { copiesFrom } from '../arrays/ways-in.ts';
import { oneOf, probe } from '../probe.ts';
import { bytesAsArray, hashed, same } from '../support/checks.ts';
import { start } from '../support/sample-run.ts';

/** Takes its argument, which is of this shape. */
const PROGRAM = 'donation/donor';
const SHAPE = [4];
/** What is read too late is seen where the memory has got other contents by then. */
const ROUNDS = 4;

interface Reader {
  call: string;
  /** What it is to give, if that is not the array. */
  expected?: (context: CaseContext, buffer: Buffer) => HostArray;
  /** Starts to read, or to copy. @returns what was read, when it has ended */
  begin(context: CaseContext, buffer: Buffer, array: HostArray): () => HostArray;
}

const copying = (call: string): Reader => ({
  call,
  begin: (context, buffer) => {
    const way = copiesFrom(context).find((copy) => copy.call === call && copy.name !== 'a copy in the same memory');
    if (!way) throw new NotSupported('there is no other place to copy to');
    const copy = context.scope.own(offered(way.name, () => way.make(buffer)));
    return () => fetchArray(context, copy);
  },
});

const READERS = {
  read: {
    call: 'PJRT_Buffer_ToHostBuffer',
    begin: (context, buffer, { bytes, dtype, shape }) => {
      const { event, take } = here(buffer.copyingToHost(context.arena, bytes.length));
      context.scope.own(event);
      return () => {
        event.await();
        return fromBytes(dtype, shape, take());
      };
    },
  },
  'raw-read': {
    call: 'PJRT_Buffer_CopyRawToHost',
    expected: (context, buffer) => bytesAsArray(rawContents(context, buffer)),
    begin: (context, buffer) => {
      const { event, take } = startRawRead(context, buffer);
      return () => {
        event.await();
        return bytesAsArray(take());
      };
    },
  },
  'device-copy': copying('PJRT_Buffer_CopyToDevice'),
  'memory-copy': copying('PJRT_Buffer_CopyToMemory'),
} as const satisfies Readonly<Record<string, Reader>>;

interface End {
  requirement: string;
  /** Ends the buffer, or gives its memory away. */
  end(context: CaseContext, buffer: Buffer): void;
}

const ENDS = {
  deletion: { requirement: 'BUF-DEL-003', end: (_context, buffer) => buffer.delete() },
  destruction: { requirement: 'BUF-DEL-002', end: (_context, buffer) => buffer.destroy() },
  donation: {
    requirement: 'RUN-DON-009',
    end: (context, buffer) => void start(context, compileProgram(context, PROGRAM), [[buffer]]),
  },
  bitcast: {
    requirement: 'BUF-BIT-002',
    end: ({ api, arena, scope }, buffer) => {
      const fields = {
        buffer: buffer.pointer,
        element_type: dtype('s32').enumValue,
        dims: arena.int64s(SHAPE).address,
        num_dims: SHAPE.length,
      };
      const cast = offered('a bitcast', () =>
        api.invoke('PJRT_Buffer_Bitcast', fields, (call) => new Buffer(api, call.word('out_buffer'))),
      );
      scope.own(cast);
    },
  },
  dependency: {
    requirement: 'BUF-DWC-001',
    end: (context, buffer) =>
      offered('a donation with a dependency', () => donateWithDependency(context, buffer)).ready({}),
  },
} as const satisfies Readonly<Record<string, End>>;

function offered<T>(what: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw refusal(error, what);
  }
}

/** A small buffer ends, or gives its memory away, as soon as it has begun to be read: the read has its contents. */
export const overtaken = probe(
  'overtaken',
  {
    read: oneOf(...(Object.keys(READERS) as (keyof typeof READERS)[])),
    by: oneOf(...(Object.keys(ENDS) as (keyof typeof ENDS)[])),
  },
  (context, { read, by }) => {
    const { call, begin, expected }: Reader = READERS[read];
    const { requirement, end }: End = ENDS[by];
    if (by === 'donation') compileProgram(context, PROGRAM);
    for (let round = 0; round < ROUNDS; round++) {
      const array = hashed('f32', SHAPE, round + 1);
      const buffer = startPut(context, array);
      buffer.awaitReady();
      const wanted = expected?.(context, buffer) ?? array;
      const contents = begin(context, buffer, array);
      end(context, buffer);
      // What takes memory that was freed too early.
      for (let i = 0; i < ROUNDS; i++) startPut(context, hashed('f32', SHAPE, 100 + i));
      same(`what was being read when the buffer ended by ${by}`, wanted, contents(), call, requirement);
    }
  },
);
