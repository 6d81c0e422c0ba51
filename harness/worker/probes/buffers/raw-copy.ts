import { errorOfAsync, PjrtError } from '../../pjrt/errors.ts';
import type { CaseContext } from '../../steps/context.ts';
import { isHostLike, rawContents, startRawCopy } from '../../steps/device-format.ts';
import { refusal } from '../../steps/outcome.ts';
import { checks, number, optional, type Run } from '../probe.ts';
import { hashed, violated } from '../support/checks.ts';
import { poisonedRoom, type Room } from '../support/poisoned-room.ts';
import { send } from '../support/sending.ts';

// Copies of ranges of a buffer's device memory. What is there is the device's own affair: a range is compared with the
// whole, and the whole with the array only where the buffer is on the CPU. The array has 4 * `count`
// bytes; an `offset` from there on is counted from the end of the device memory.

const CALL = 'PJRT_Buffer_CopyRawToHost';

const COUNT = { count: optional(number, 32) };
const FROM = { ...COUNT, offset: optional(number, 0) };
const RANGE = { ...FROM, size: optional(number, 4) };

const OPTIONS = { ...RANGE, misaligned: optional(number, 0) };
type Check = Run<typeof OPTIONS>;

/** The whole device memory. */
const rawCopyOfWhole: Check = async (context, options) => {
  const source = sourceOf(context, options);
  await compared(context, source, 0, source.whole.length);
};

/** A range inside. The destination may be off a multiple of 64 by some bytes. */
const rawCopyOfRange: Check = async (context, options) => {
  const source = sourceOf(context, options);
  await compared(context, source, source.offset, options.size, options.misaligned);
};

/** A range that ends where the device memory ends. */
const rawCopyToEnd: Check = async (context, options) => {
  const source = sourceOf(context, options);
  await compared(context, source, source.offset, source.whole.length - source.offset);
};

/** A range of whole pages, which no alignment can be a reason to refuse. */
const rawCopyOfPages: Check = async (context, options) => {
  const source = sourceOf(context, options);
  await accepted(context, source, source.offset, options.size);
};

/** All pages from one on, which no alignment can be a reason to refuse. */
const rawCopyOfPagesToEnd: Check = async (context, options) => {
  const source = sourceOf(context, options);
  await accepted(context, source, source.offset, source.whole.length - source.offset);
};

/** A range that lies outside: the call or its event says so, and nothing is written. */
const rawCopyOutside: Check = async (context, options) => {
  const source = sourceOf(context, options);
  const { whole, count, offset } = source;
  // A range that reaches beyond the array by so much reaches beyond the device memory by as much.
  const grown = offset > 0 && offset < count ? whole.length - count : 0;
  const size = options.size + grown;
  const { status, room } = await copy(context, source, offset, size);
  if (!status)
    violated(`${size} bytes at ${offset} of a buffer of ${whole.length} bytes were copied`, CALL, 'BUF-RAW-002');
  if (!room.untouched()) violated('a copy that failed wrote to its destination', CALL, 'BUF-RAW-002');
};

interface Source {
  buffer: ReturnType<typeof send>['buffer'];
  /** What is in its device memory. */
  whole: Uint8Array;
  /** Bytes of the array. */
  count: number;
  /** What the option `offset` means. */
  offset: number;
}

function sourceOf(context: CaseContext, options: { count: number; offset?: number }): Source {
  const count = 4 * options.count;
  const data = hashed('u8', [count]);
  const { buffer } = send(context, data, 'during-call');
  buffer.awaitReady();
  const whole = rawContents(context, buffer);
  if (isHostLike(buffer, data.bytes.length)) {
    if (Buffer.compare(whole, data.bytes) !== 0)
      violated('the raw bytes are not those of the array', CALL, 'BUF-RAW-001');
  } else checkDistinct(context, whole, count);
  const from = options.offset ?? 0;
  return { buffer, whole, count, offset: from >= count ? from - count + whole.length : from };
}

/** Copies into poisoned memory. */
async function copy(
  context: CaseContext,
  { buffer }: Source,
  offset: number,
  size: number,
  misaligned = 0,
): Promise<{ status: PjrtError | undefined; room: Room }> {
  const room = poisonedRoom(context, size, misaligned);
  let status: PjrtError | undefined;
  try {
    status = await errorOfAsync(
      context.scope.own(startRawCopy(context, buffer, room.address, offset, size)).awaitAsync(),
    );
  } catch (error) {
    if (!(error instanceof PjrtError)) throw error;
    status = error;
  }
  return { status, room };
}

/** The range is copied; where a device may refuse it for its alignment, the case is unsupported. */
async function compared(
  context: CaseContext,
  source: Source,
  offset: number,
  size: number,
  misaligned = 0,
): Promise<void> {
  const { status, room } = await copy(context, source, offset, size, misaligned);
  // Nothing at the very beginning has every alignment.
  if (status && size === 0 && offset === 0 && misaligned === 0) throw status;
  if (status) throw refusal(status, `a raw copy of ${size} bytes at ${offset} is refused, maybe for their alignment`);
  checkCopied(source, room, offset, size);
}

/** The range is copied, whatever alignment the device wants. */
async function accepted(context: CaseContext, source: Source, offset: number, size: number): Promise<void> {
  const { status, room } = await copy(context, source, offset, size);
  if (status) throw status;
  checkCopied(source, room, offset, size);
}

function checkCopied({ whole }: Source, room: Room, offset: number, size: number): void {
  if (room.overrun())
    violated(`bytes beside the ${size} bytes asked for were written`, CALL, 'BUF-RAW-001', 'pjrt.MemoryOverrun');
  if (Buffer.compare(room.bytes, whole.subarray(offset, offset + size)) !== 0)
    violated(`the ${size} bytes at ${offset} differ from those in a copy of the whole`, CALL, 'BUF-RAW-001');
}

/** Two arrays cannot have the same raw bytes, and one array cannot have others the second time, in whatever format. */
function checkDistinct(context: CaseContext, whole: Uint8Array, count: number): void {
  const other = send(context, hashed('u8', [count], 2), 'during-call').buffer;
  const again = send(context, hashed('u8', [count]), 'during-call').buffer;
  other.awaitReady();
  again.awaitReady();
  if (Buffer.compare(whole, rawContents(context, other)) === 0)
    violated('two buffers with different arrays have the same raw bytes', CALL, 'BUF-RAW-001');
  if (rawContents(context, again).length !== whole.length)
    violated('raw copies of two buffers with the same array have different sizes', CALL, 'BUF-RAW-001');
}

/** Copies of ranges of a buffer's device memory. */
export const rawCopy = checks('raw-copy', OPTIONS, {
  whole: rawCopyOfWhole,
  range: rawCopyOfRange,
  'to-end': rawCopyToEnd,
  pages: rawCopyOfPages,
  'pages-to-end': rawCopyOfPagesToEnd,
  outside: rawCopyOutside,
});
