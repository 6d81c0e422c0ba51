import { elementCount, type HostArray, reader } from '../../knowledge/numerics/array.ts';
import { toStrided } from '../../knowledge/numerics/strided.ts';
import type { LooksLike } from '../../model/looks-like.ts';
import type { Buffer as PjrtBuffer } from '../pjrt/buffer.ts';

/** How a buffer got its contents. */
interface Making {
  /** The array that was sent. */
  sent?: HostArray;
  /** Of one that was sent with byte strides: the bytes that lie there in memory, as long as the array, if there are so many. */
  dense?: Uint8Array | undefined;
  /** The minor-to-major order on the device that was asked for, if it is not row-major. */
  order?: readonly number[] | undefined;
  /** The program whose output it is, and its arguments. */
  run?: { program: string; args: readonly PjrtBuffer[] };
}

/** How an array was read. */
interface Reading {
  buffer: PjrtBuffer;
  /** As the bytes came, in the order that was asked for. */
  raw: Uint8Array;
  /** That order, the slowest dimension first. */
  order: readonly number[];
  /** Set if that order is the caller's, and not row-major: reads the array again, in row-major order, if it still can be read. */
  plainly?: (() => Uint8Array | undefined) | undefined;
}

/** Arrays with more bytes are not kept. */
const KEPT = 1 << 20;
/** Outputs of other programs with which one is compared. */
const OTHERS = 64;
/** Elements without which equal bytes prove nothing. */
const LEAST = 4;

const makings = new WeakMap<PjrtBuffer, Making>();
const readings = new WeakMap<HostArray, Reading>();
const outputs: { program: string; array: HostArray }[] = [];

/** Remembers how a buffer got its contents. */
export function remember(buffer: PjrtBuffer, making: Making): void {
  if ((making.sent?.bytes.length ?? 0) <= KEPT) makings.set(buffer, making);
}

/** Remembers how an array was read. */
export function rememberReading(array: HostArray, reading: Reading): void {
  if (array.bytes.length > KEPT) return;
  readings.set(array, reading);
  const program = makings.get(reading.buffer)?.run?.program;
  if (program === undefined || !isDistinct(array)) return;
  outputs.push({ program, array });
  if (outputs.length > OTHERS) outputs.shift();
}

/** The bytes of an array as they came, and those of another array of its type and shape in the same order. */
export function asItCame(array: HostArray, other: HostArray): { came: Uint8Array; other: Uint8Array } {
  const reading = readings.get(array);
  if (!reading || !sameType(array, other)) return { came: array.bytes, other: other.bytes };
  return { came: reading.raw, other: toStrided(other, { order: [...reading.order] }).backing };
}

/**
 * What an array that is not what it should be is instead, if that is beyond doubt: its bytes are exactly those, and these are
 * not such as many defects leave.
 */
export function looksLike(expected: HostArray, actual: HostArray): LooksLike | undefined {
  const reading = readings.get(actual);
  const { sent, dense, order, run } = (reading && makings.get(reading.buffer)) ?? {};
  if (!reading || !sameType(expected, actual)) return undefined;
  if (run && isZero(actual) && isDistinct(expected)) return { kind: 'zeros', program: run.program };
  if (!isDistinct(actual)) return undefined;
  const is = (bytes: Uint8Array | undefined): boolean =>
    bytes !== undefined && Buffer.compare(bytes, actual.bytes) === 0;
  const hasOrders = actual.shape.filter((n) => n > 1).length >= 2;
  const isRowMajor = Buffer.compare(reading.raw, expected.bytes) === 0;
  const ignoresLayout = hasOrders && isRowMajor && reading.plainly !== undefined;
  if (run) {
    const { program } = run;
    const args = run.args.flatMap((arg) => makings.get(arg)?.sent ?? []);
    if (args.some((arg) => sameType(arg, actual) && is(arg.bytes))) return { kind: 'argument', program };
    const other = outputs.some((one) => one.program !== program && sameType(one.array, actual) && is(one.array.bytes));
    if (other) return { kind: 'other-program', program };
    // The program may have given these bytes: a plain read decides.
    const plain = ignoresLayout ? reading.plainly!() : undefined;
    return plain && Buffer.compare(plain, expected.bytes) === 0 ? { kind: 'host-layout' } : undefined;
  }
  if (!hasOrders) return undefined;
  if (sent && is(dense)) {
    if (!ignoresLayout) return { kind: 'strides' };
    // Strides ignored by the send and a layout ignored by the read give the same bytes: a plain read decides.
    const plain = reading.plainly!();
    if (is(plain)) return { kind: 'strides' };
    return plain && Buffer.compare(plain, expected.bytes) === 0 ? { kind: 'host-layout' } : undefined;
  }
  if (ignoresLayout) return { kind: 'host-layout' };
  if (!order) return undefined;
  if (isRowMajor) return { kind: 'device-layout' };
  const asOnDevice = toStrided(expected, { order: [...order] }).backing;
  return Buffer.compare(reading.raw, asOnDevice) === 0 ? { kind: 'host-layout' } : undefined;
}

const sameType = (a: HostArray, b: HostArray): boolean =>
  a.dtype.name === b.dtype.name && String(a.shape) === String(b.shape);

const isZero = ({ bytes }: HostArray): boolean => bytes.every((byte) => byte === 0);

/** Several elements, not all alike, and not the same in reverse. */
function isDistinct(array: HostArray): boolean {
  const [count, read] = [elementCount(array.shape), reader(array)];
  const indices = Array.from({ length: count }, (_, i) => i);
  return count >= LEAST && new Set(indices.map(read)).size > 2 && indices.some((i) => read(i) !== read(count - 1 - i));
}
