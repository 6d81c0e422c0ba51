import { functionAt } from '../../ffi/function.ts';
import type { Buffer as DeviceBuffer } from '../../pjrt/buffer.ts';
import { errorOfAsync, PjrtError } from '../../pjrt/errors.ts';
import { Event } from '../../pjrt/event.ts';
import type { StructView } from '../../pjrt/struct-view.ts';
import type { CaseContext } from '../../steps/context.ts';
import { ifOffered, isHostLike, rawContents } from '../../steps/device-format.ts';
import { NotSupported, refusal } from '../../steps/outcome.ts';
import { checks, number, optional, type Run, text } from '../probe.ts';
import { hashed, violated } from '../support/checks.ts';
import { poisonedRoom } from '../support/poisoned-room.ts';
import { codeNumber, send } from '../support/sending.ts';

// A raw copy whose destination is named later. Nothing happens before its callback runs.

const CALL = 'PJRT_Buffer_CopyRawToHostFuture';
const MESSAGE = 'no destination today';
interface Range {
  offset: number;
  size: number;
}

/** Whatever alignment a device wants. */
const PAGES: Range = { offset: 4096, size: 8192 };

const OPTIONS = {
  offset: optional(number, 0),
  size: optional(number, 4),
  misaligned: optional(number, 0),
  fail: optional(text, 'INTERNAL'),
};
type Check = Run<typeof OPTIONS>;

/** Given a destination, the event completes with the data. */
const futureOfPages: Check = async (context) => {
  const begun = begin(context, PAGES);
  const status = await copied(context, begun);
  if (status) violated(`the event ended in ${status.codeName}, expected OK`, CALL, 'BUF-RAW-005');
};

/**
 * The same for a range and a destination that a device may refuse for their alignment. With
 * `misaligned` the destination is off a multiple of 64 by so many bytes.
 */
const rawFutureOfRange: Check = async (context, { offset, size, misaligned }) => {
  const range = { offset, size };
  const refused = (error: PjrtError): unknown =>
    refusal(error, `a raw copy of ${range.size} bytes at ${range.offset} is refused, maybe for their alignment`);
  let begun: Begun;
  try {
    begun = begin(context, range);
  } catch (error) {
    throw error instanceof PjrtError && error.call === CALL ? refused(error) : error;
  }
  const status = await copied(context, begun, misaligned);
  if (status) throw refused(status);
};

/** The source is deleted before the destination is given: the data arrive all the same. */
const rawFutureOfDeleted: Check = async (context) => {
  const begun = begin(context, PAGES);
  begun.source.delete();
  const status = await copied(context, begun);
  if (status) violated(`the event ended in ${status.codeName}, expected OK`, CALL, 'BUF-RAW-005');
};

/** Given an error instead of a destination, the event ends in it. */
const rawFutureFailed: Check = async (context, { fail: code }) => {
  const begun = begin(context, PAGES);
  const text = context.arena.text(MESSAGE);
  const status = await proceed(context, begun, (args) => {
    args.setInt('error_code', codeNumber(context, code));
    args.setWord('error_message', text.address);
    args.setSize('error_message_size', text.length);
  });
  if (status?.codeName !== code)
    violated(`the event ended in ${status?.codeName ?? 'OK'}, expected ${code}`, CALL, 'BUF-RAW-005');
  if (!status.text.includes(MESSAGE)) violated('the error has lost its message', CALL, 'BUF-RAW-005');
};

/** Of several at once, each gets its own range in the destination that is named for it, whatever the order. */
const severalFutures: Check = async (context) => {
  const ranges = [2, 0, 3, 1].map((page) => ({ offset: page * 8192, size: 8192 }));
  const { source, whole } = sent(context);
  const futures = ranges.map((range) => asked(context, source, range));
  const rooms = ranges.map(({ size }) => poisonedRoom(context, size));
  const unnamed = new Set(ranges.keys());
  for (const which of [2, 1, 3, 0]) {
    unnamed.delete(which);
    const status = await proceed(context, { future: futures[which]! }, (args) =>
      args.setWord('dst', rooms[which]!.address),
    );
    if (status) violated(`the event ended in ${status.codeName}, expected OK`, CALL, 'BUF-RAW-005');
    for (const other of unnamed)
      if (futures[other]!.event.isReady())
        violated('the event is ready before its destination was named', CALL, 'BUF-RAW-004');
  }
  for (const [i, { offset, size }] of ranges.entries())
    if (Buffer.compare(whole.subarray(offset, offset + size), rooms[i]!.bytes) !== 0)
      violated(
        `of ${ranges.length} copies, the destination of number ${i + 1} does not hold the bytes that it asked for`,
        CALL,
        'BUF-RAW-004',
      );
};

interface Future {
  event: Event;
  data: bigint;
  run: bigint;
}

interface Begun {
  source: ReturnType<typeof send>['buffer'];
  /** What is in the range. */
  wanted: Uint8Array;
  future: Future;
}

/** A buffer of several pages, and the bytes that it has on its device. */
function sent(context: CaseContext): { source: DeviceBuffer; whole: Uint8Array } {
  const data = hashed('f32', [16384]);
  const source = send(context, data, 'during-call').buffer;
  source.awaitReady();
  const whole = isHostLike(source, data.bytes.length) ? data.bytes : ifOffered(() => rawContents(context, source));
  if (!whole)
    throw new NotSupported(
      'device memory does not hold the bytes of the host array, and the plugin offers no way to read them',
    );
  return { source, whole };
}

/** Asks for a copy, which then waits for its destination. */
function asked(context: CaseContext, source: DeviceBuffer, range: Range): Future {
  const future = promised(context, source, range);
  if (future.run === 0n) violated('the callback that names the destination is NULL', CALL);
  if (future.event.isReady()) violated('the event is ready before a destination was named', CALL, 'BUF-RAW-004');
  return future;
}

/** The same of a buffer of its own. */
function begin(context: CaseContext, range: Range): Begun {
  const { source, whole } = sent(context);
  const { offset, size } = range;
  return { source, wanted: whole.subarray(offset, offset + size), future: asked(context, source, range) };
}

const promised = ({ api, scope }: CaseContext, source: DeviceBuffer, { offset, size }: Range): Future =>
  api.invoke(CALL, { buffer: source.pointer, offset, transfer_size: size }, (call) => ({
    event: scope.own(new Event(api, call.word('event'))),
    data: call.word('callback_data'),
    run: call.word('future_ready_callback'),
  }));

/** Starts a copy of a range to an address, which is named at once. @returns its event */
export function startInFuture(context: CaseContext, source: DeviceBuffer, range: Range, address: bigint): Event {
  const future = promised(context, source, range);
  name(context, future, (args) => args.setWord('dst', address));
  return future.event;
}

/** Copies a range to an address that is named when the copy waits for it. @returns the error in which it ends instead */
export function copyInFuture(
  context: CaseContext,
  source: DeviceBuffer,
  range: Range,
  address: bigint,
): Promise<PjrtError | undefined> {
  return errorOfAsync(startInFuture(context, source, range, address).awaitAsync());
}

/** Runs the callback with what `fill` writes into its arguments. @returns what the event ends in */
function proceed(
  context: CaseContext,
  { future }: Pick<Begun, 'future'>,
  fill: (args: StructView) => void,
): Promise<PjrtError | undefined> {
  name(context, future, fill);
  return errorOfAsync(future.event.awaitAsync());
}

function name({ api, arena, instrument }: CaseContext, future: Future, fill: (args: StructView) => void): void {
  const args = api.make(arena, 'PJRT_Buffer_CopyRawToHostFuture_Callback_Args');
  const view = args.at(0);
  view.setWord('callback_data', future.data);
  fill(view);
  instrument.native(`${CALL}.future_ready_callback`, () =>
    functionAt(future.run, 'void PjrtFutureReady(void* args)')(args.address),
  );
}

/**
 * Gives a destination, and looks at what is there afterwards.
 * @returns the error in which the event ends instead
 */
async function copied(context: CaseContext, begun: Begun, misaligned = 0): Promise<PjrtError | undefined> {
  const room = poisonedRoom(context, begun.wanted.length, misaligned);
  const status = await proceed(context, begun, (args) => args.setWord('dst', room.address));
  if (status) return status;
  if (Buffer.compare(begun.wanted, room.bytes) !== 0)
    violated('the destination does not hold the bytes asked for', CALL, 'BUF-RAW-004');
  if (room.overrun()) violated('bytes beside the destination were written', CALL, 'BUF-RAW-004', 'pjrt.MemoryOverrun');
  return undefined;
}

/** A raw copy whose destination is named later. */
export const rawFuture = checks('raw-future', OPTIONS, {
  pages: futureOfPages,
  range: rawFutureOfRange,
  deleted: rawFutureOfDeleted,
  failed: rawFutureFailed,
  several: severalFutures,
});
