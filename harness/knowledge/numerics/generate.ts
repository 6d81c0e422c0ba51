/** Generates the data that suites describe. Deterministic: the same description gives the same bytes on every machine. */

import { alloc, build, elementCount, fromBits, fromBytes, fromValues, type HostArray, writer } from './array.ts';
import { type Bits, encode, integerRange } from './codec.ts';
import type { GeneratedData, Reference, Scalar } from './data.ts';
import { type DType, dtype } from './dtypes.ts';
import { edges } from './edges.ts';
import { hashOf } from './hash.ts';
import { ORACLES } from './oracles.ts';
import { specialBits } from './specials.ts';
import { tableColumn } from './tables.ts';

/** A suite requested data that cannot be generated. */
class GenerateError extends Error {
  override name = 'GenerateError';
}

/** The longest run of consecutive integers around zero that a type holds exactly. */
export function exactIntegers(type: DType): { lo: number; hi: number } {
  if (type.component) return exactIntegers(type.component);
  if (type.float) {
    const f = type.float;
    // f8e8m0fnu holds powers of two only: the integers are its exponents.
    if (!f.subnormals) return { lo: -f.bias, hi: f.bias };
    const precise = 2 ** (f.mantissa + 1);
    const topExponent = Number(f.maxFinite >> BigInt(f.mantissa)) - f.bias;
    const fraction = Number(f.maxFinite % (1n << BigInt(f.mantissa)));
    const largest = Math.floor(2 ** topExponent * (1 + fraction / 2 ** f.mantissa));
    const hi = Math.min(precise, largest);
    return { lo: -hi, hi };
  }
  const { min, max } = integerRange(type);
  return { lo: Math.max(Number(min), -Number.MAX_SAFE_INTEGER), hi: Math.min(Number(max), Number.MAX_SAFE_INTEGER) };
}

/** Bits of a small integer in a type; in f8e8m0fnu, of that power of two. */
const integerBits = (type: DType, value: number): Bits =>
  type.float && !type.float.subnormals ? encode(type, 2 ** value) : encode(type, value);

/**
 * Counts in row-major order. Integers wrap in two's complement at their width (pred: 0, 1, 0, 1, …); floats repeat 0 … n-1, n
 * being the number of consecutive integers from zero that they hold, at most 2^precision (f32: 2^24, bf16: 256, f4e2m1fn: 4).
 * Complex counts in the real part. f8e8m0fnu: 2^0 … 2^127, then again.
 */
function iota(type: DType, shape: readonly number[]): HostArray {
  const real = type.component ?? type;
  if (real.kind !== 'float') {
    const modulus = real.kind === 'pred' ? 2 : real.bits >= 53 ? Number.MAX_SAFE_INTEGER : 2 ** real.bits;
    return build(type, shape, (i) => i % modulus);
  }
  const { hi } = exactIntegers(type);
  const f = real.float!;
  const modulus = f.subnormals ? Math.min(2 ** (f.mantissa + 1), hi + 1) : hi + 1;
  const cache: Bits[] = [];
  return build(type, shape, (i) => (cache[i % modulus] ??= integerBits(type, i % modulus)));
}

/**
 * Small integers in [-range, range] hashed by position, limited to what the type holds exactly. Unsigned types hold them
 * shifted to [0, 2·range]; pred the parity; f8e8m0fnu the powers of two; complex hashes both parts separately. With a scale,
 * these integers times a power of two.
 */
function hash(type: DType, shape: readonly number[], seed: number, range: number, scale: number): HostArray {
  if (!Number.isInteger(range) || range < 0) throw new GenerateError(`hash range ${range} is not an integer ≥ 0`);
  const real = type.component ?? type;
  if (scale !== 1 && (!Number.isInteger(Math.log2(scale)) || !real.float?.subnormals))
    throw new GenerateError(`hash scale ${scale}: a power of two, for floating-point types, is needed`);
  const limits = exactIntegers(type);
  const unsigned = type.kind === 'unsigned' || type.kind === 'pred';
  const lo = unsigned ? 0 : Math.max(-range, limits.lo);
  const hi = type.kind === 'pred' ? 1 : Math.min(unsigned ? 2 * range : range, limits.hi);
  const span = hi - lo + 1;
  const hashAt = hashOf(seed);
  const cache: Bits[] = [];
  const bitsOf = (v: number): Bits =>
    (cache[v] ??= scale === 1 ? integerBits(real, v + lo) : encode(real, (v + lo) * scale));
  const parts = type.component ? [...shape, 2] : shape;
  const { bytes } = build(real, parts, (i) => bitsOf(hashAt(i) % span));
  return fromBytes(type, shape, bytes);
}

function fill(type: DType, shape: readonly number[], bits: Bits): HostArray {
  const array = alloc(type, shape);
  const { bytes } = array;
  if (elementCount(shape) > 0) writer(array)(0, bits);
  // What is there already is copied behind itself, twice as much each time.
  for (let done = type.hostBytes; done < bytes.length; done *= 2) bytes.copyWithin(done, 0, done);
  return array;
}

/** Bits from a hexadecimal string (`0x` optional); complex as `re,im`. */
export function parseBits(type: DType, text: string): Bits {
  const part = type.component;
  if (part) {
    const [re, im, more] = text.split(',');
    if (re === undefined || im === undefined || more !== undefined) {
      throw new GenerateError(`${JSON.stringify(text)}: bits of ${type.name} are written as two hexadecimals, "re,im"`);
    }
    return BigInt(parseBits(part, re)) | (BigInt(parseBits(part, im)) << BigInt(part.bits));
  }
  const digits = text.trim().replace(/^0x/i, '');
  if (!/^[0-9a-f]+$/i.test(digits)) throw new GenerateError(`${JSON.stringify(text)} is not hexadecimal`);
  const bits = BigInt(`0x${digits}`);
  if (bits >> BigInt(type.bits) !== 0n)
    throw new GenerateError(`${text} has more than ${type.name}'s ${type.bits} bits`);
  return type.bits <= 32 ? Number(bits) : bits;
}

/** The given values in order, then values chosen among them by position and seed. */
function draw(type: DType, shape: readonly number[], of: readonly Scalar[], seed: number): HostArray {
  const count = elementCount(shape);
  if (of.length === 0 || of.length > count) {
    throw new GenerateError(`draw: ${of.length} values for shape [${shape}], which has ${count} elements`);
  }
  const bits = of.map((value) => encode(type, value));
  const hashAt = hashOf(seed);
  return build(type, shape, (i) => bits[i < of.length ? i : hashAt(i) % of.length]!);
}

const counted = <T>(what: string, shape: readonly number[], items: readonly T[]): readonly T[] => {
  if (items.length === elementCount(shape)) return items;
  throw new GenerateError(
    `${what}: shape [${shape}] has ${elementCount(shape)} elements, but ${items.length} are given`,
  );
};

const nothing = (ref: Reference): never => {
  throw new GenerateError(`${ref} is not known here`);
};

/** Generates an array from its description. `resolve` looks up `$references`; only `oracle` has any. */
export function generate(data: GeneratedData, resolve: (ref: Reference) => HostArray = nothing): HostArray {
  if ('iota' in data) return iota(dtype(data.iota.dtype), data.iota.shape);
  if ('hash' in data) {
    const { dtype: name, shape, seed = 0, range = 4, scale = 1 } = data.hash;
    return hash(dtype(name), shape, seed, range, scale);
  }
  if ('fill' in data) {
    const type = dtype(data.fill.dtype);
    return fill(type, data.fill.shape, encode(type, data.fill.value));
  }
  if ('values' in data) {
    const { dtype: name, shape, of } = data.values;
    return fromValues(dtype(name), shape, counted('values', shape, of));
  }
  if ('draw' in data) {
    const { dtype: name, shape, of, seed = 0 } = data.draw;
    return draw(dtype(name), shape, of, seed);
  }
  if ('edges' in data) {
    const { dtype: name, shape, seed = 0 } = data.edges;
    return edges(dtype(name), shape, seed);
  }
  if ('bits' in data) {
    const { dtype: name, shape, of } = data.bits;
    const type = dtype(name);
    return fromBits(
      type,
      shape,
      counted('bits', shape, of).map((text) => parseBits(type, text)),
    );
  }
  if ('special' in data) {
    const type = dtype(data.special.dtype);
    const bits = specialBits(type);
    return fromBits(type, [bits.length], bits);
  }
  if ('oracle' in data) {
    const { op, of, with: parameters } = data.oracle;
    const oracle = ORACLES[op];
    if (!oracle)
      throw new GenerateError(`unknown oracle ${JSON.stringify(op)}; there are: ${Object.keys(ORACLES).join(', ')}`);
    return oracle(of.map(resolve), parameters ?? {});
  }
  if ('table' in data) return tableColumn(data.table.name, data.table.column);
  throw new GenerateError(`no form of data is called ${Object.keys(data as object).join(', ')}`);
}
