import { dtype } from '../../../knowledge/numerics/dtypes.ts';
import { readBytes, sparsePages, writeBytes } from '../../ffi/memory.ts';
import { type Buffer, makeLayout } from '../../pjrt/buffer.ts';
import { SEMANTICS } from '../../pjrt/client.ts';
import { PjrtError } from '../../pjrt/errors.ts';
import type { Event } from '../../pjrt/event.ts';
import { programBytes } from '../../steps/compile.ts';
import { compileOptions } from '../../steps/compile-options.ts';
import type { CaseContext } from '../../steps/context.ts';
import { isHostLike, startRawCopy } from '../../steps/device-format.ts';
import { answerOf, causeOf, NotSupported, refusal } from '../../steps/outcome.ts';
import { checks, elementType, number, optional, program, type Run, type Values } from '../probe.ts';
import { hashed, violated } from '../support/checks.ts';

// Arrays beyond 2 GiB, where a size or an index of 32 bits shows. Only some pieces of them hold anything but zeros: the host
// memory for them is sparse, and they alone are compared. The array is three pieces larger
// than `gib`.

const GIB = 1024 ** 3;
/** Bytes of a piece, whatever the page size: the programs have this shape. */
const PIECE = 4096;
/** What the array is larger by, so that the end of 31 or 32 bits is inside. */
const BEYOND = 3 * PIECE;
/** Distance of the pieces that are filled, beside those around the ends of 31 and 32 bits and at the end of the array. */
const EVERY = 192 * 1024 ** 2;

const TO_HOST = 'PJRT_Buffer_ToHostBuffer';

const LARGE = { dtype: elementType, gib: optional(number, 2) };

const OPTIONS = { ...LARGE, program: optional(program, '') };
type Check = Run<typeof OPTIONS>;

/** To the device and back. */
const largeArrayTransferred: Check = async (context, options) => {
  const array = arrayOf(options);
  // The array on its way to the device, there, and back on the host.
  needMemory(2 * array.size);
  const buffer = await sent(context, array);
  await checkReceived(context, array, buffer, (bytes) => bytes, 'BUF-HOST-031');
};

/** Pieces of the device memory, on both sides of the end of 31 bits and at the end. */
const largeArrayRawCopied: Check = async (context, options) => {
  const array = arrayOf(options);
  needMemory(array.size);
  const buffer = await sent(context, array);
  if (!isHostLike(buffer, array.size))
    throw new NotSupported('what lies where in the device memory is known only of memory as on the host');
  for (const at of array.pieces) {
    const room = context.arena.alloc(PIECE, 64);
    await arrival(context.scope.own(startRawCopy(context, buffer, room.address, at, PIECE)));
    if (!equal(room.bytes, contents(at)))
      violated(
        `a raw copy of the ${PIECE} bytes at ${at} differs from what was sent`,
        'PJRT_Buffer_CopyRawToHost',
        'BUF-RAW-008',
      );
  }
};

/** A program of one such array, which turns every bit of it. */
const largeArrayComputed: Check = async (context, options) => {
  const array = arrayOf(options);
  const { program } = options;
  // Argument and result, then result and what is read of it.
  needMemory(2 * array.size);
  const code = programBytes(context.plugin, { program });
  const executable = context.scope.own(
    refusable('the program', () => context.client.compile(context.arena, code, 'mlir', compileOptions(context))),
  );
  const buffer = await sent(context, array);
  const run = refusable('the execution', () => executable.execute(context.arena, [[buffer]], { events: true }));
  for (const event of run.events) await arrival(context.scope.own(event));
  const [output] = run.outputs.flat().map((made) => context.scope.own(made));
  await arrival(context.scope.own(output!.readyEvent()));
  buffer.destroy();
  await checkReceived(context, array, output!, (bytes) => bytes.map((byte) => ~byte), 'RUN-OUT-005');
};

/** An array, by the bytes that it has on the host. */
interface LargeArray {
  type: number;
  elements: number;
  size: number;
  /** Offsets of the pieces that are compared, in bytes. */
  pieces: number[];
}

function arrayOf({ dtype: type, gib }: Values<typeof LARGE>): LargeArray {
  const { enumValue, hostBytes } = dtype(type);
  const size = gib * GIB + BEYOND;
  const pieces = new Set([size - PIECE]);
  for (let at = 0; at < size; at += EVERY) pieces.add(at);
  for (const end of [2 * GIB, 4 * GIB]) for (const at of [end - PIECE, end]) if (at < size) pieces.add(at);
  return { type: enumValue, elements: size / hostBytes, size, pieces: [...pieces].sort((a, b) => a - b) };
}

/** What the piece at an offset holds. */
const contents = (at: number): Uint8Array => hashed('u8', [PIECE], 1 + at / PIECE).bytes;

const equal = (a: Uint8Array, b: Uint8Array): boolean => a.every((byte, i) => byte === b[i]);

/** The machine must not run out of memory because of a case. */
function needMemory(bytes: number): void {
  const free = process.availableMemory();
  const needed = bytes + GIB;
  if (free < needed) throw new NotSupported(`needs ${inGib(needed)} of free memory; there are ${inGib(free)}`);
}

const inGib = (bytes: number): string => `${(bytes / GIB).toFixed(1)} GiB`;

/** Sends the array and waits; the host memory for it is gone then. */
async function sent(context: CaseContext, { type, elements, size, pieces }: LargeArray): Promise<Buffer> {
  const host = sparsePages(size);
  for (const at of pieces) writeBytes(host.address + BigInt(at), contents(at));
  const { buffer, done } = refusable('an array of this size', () =>
    context.client.bufferFromHost(context.arena, {
      data: host.address,
      type,
      dims: [elements],
      semantics: SEMANTICS['until-transfer-completes'],
      device: context.client.firstDevice().pointer,
    }),
  );
  context.scope.own(buffer);
  await arrival(context.scope.own(done));
  await arrival(context.scope.own(buffer.readyEvent()));
  host.free();
  return buffer;
}

/** Reads a buffer back, into memory that nobody has touched, and compares the pieces. */
async function checkReceived(
  context: CaseContext,
  { size, pieces }: LargeArray,
  buffer: Buffer,
  expected: (bytes: Uint8Array) => Uint8Array,
  requirement: string,
): Promise<void> {
  const room = sparsePages(size);
  const layout = makeLayout(context.api, context.arena, [0]);
  await arrival(context.scope.own(refusable('the read', () => buffer.startCopyToHost(room.address, size, layout))));
  const wrong = pieces.filter((at) => !equal(readBytes(room.address + BigInt(at), PIECE), expected(contents(at))));
  room.free();
  if (wrong.length === 0) return;
  violated(`an array of ${inGib(size)} is wrong at ${wrong.length} of ${pieces.length} places`, TO_HOST, requirement, {
    type: 'pjrt.NumericMismatch',
    detail: `wrong from byte ${wrong[0]} on; compared: 4 KiB at ${pieces.join(', ')}`,
  });
}

/** Waits; a device without so much memory may say so late. */
async function arrival(event: Event): Promise<void> {
  try {
    await event.awaitAsync();
  } catch (error) {
    throw asRefusal('an array of this size', error);
  }
}

function refusable<T>(what: string, attempt: () => T): T {
  try {
    return attempt();
  } catch (error) {
    throw asRefusal(what, error);
  }
}

/** No plugin need have room for such an array, or take it at all; what it takes must be right. */
function asRefusal(what: string, error: unknown): unknown {
  const full = error instanceof PjrtError && error.codeName === 'RESOURCE_EXHAUSTED';
  return full
    ? new NotSupported(`${what} is refused: ${answerOf(error)}`, causeOf(error))
    : refusal(error, `${what} is refused`);
}

/** Arrays beyond 2 GiB, where a size or an index of 32 bits shows. */
export const largeArray = checks('large-array', OPTIONS, {
  transferred: largeArrayTransferred,
  'raw-copied': largeArrayRawCopied,
  computed: largeArrayComputed,
});
