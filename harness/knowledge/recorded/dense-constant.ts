/** Reads constants of MLIR (`dense<…> : tensor<…>`) into arrays. */
import { alloc, elementCount, type HostArray, writer } from '../numerics/array.ts';
import { type Bits, encode, exponentOf, integerRange } from '../numerics/codec.ts';
import { DTYPES, type DType } from '../numerics/dtypes.ts';
import { elementType } from '../programs/element-type.ts';

/** A constant or a type that is not understood. */
export class ConstantError extends Error {
  override name = 'ConstantError';
}

/** A type of static shape. */
export interface TensorType {
  dtype: DType;
  shape: number[];
}

const TENSOR = /^tensor<((?:\d+x)*)(complex<\w+>|(?:b?f|[su]?i)\d\w*)>$/;

/** The type that a text names; undefined if it has no static shape, or elements that are not those of arrays. */
export function tensorType(text: string): TensorType | undefined {
  const [, dimensions, element] = TENSOR.exec(text.replace(/\s/g, '')) ?? [];
  // MLIR has one type of one bit, which is that of truth values.
  const name = element === undefined ? undefined : elementType(element.replace(/^si/, 'i'));
  const dtype = DTYPES.find((one) => one.name === name);
  if (!dtype) return undefined;
  return { dtype, shape: dimensions!.split('x').slice(0, -1).map(Number) };
}

/**
 * The array of a constant.
 * @param text the module; a constant of megabytes is read in place
 * @param start where the literal begins, after `dense<`
 * @param end where it ends, before `>`
 * @throws ConstantError
 */
export function denseConstant(text: string, start: number, end: number, type: TensorType): HostArray {
  let from = start;
  let to = end;
  while (from < to && isSpace(text, from)) from++;
  while (to > from && isSpace(text, to - 1)) to--;
  if (text[from] === '"') return fromHex(text, from, to, type);
  const array = alloc(type.dtype, type.shape);
  const count = elementCount(type.shape);
  if (from === to) {
    if (count > 0) throw new ConstantError(`an empty constant for ${count} elements`);
    return array;
  }
  const write = writer(array);
  if (text[from] === '[') {
    new Literal(text, from, to, type, write).read();
    return array;
  }
  const bits = elementBits(type.dtype, text.slice(from, to));
  for (let i = 0; i < count; i++) write(i, bits);
  return array;
}

const isSpace = (text: string, at: number): boolean => /\s/.test(text[at]!);

/** `"0x…"`: the bytes of all elements, little-endian, or of the one that all are. */
function fromHex(text: string, from: number, to: number, { dtype, shape }: TensorType): HostArray {
  if (!text.startsWith('0x', from + 1) || text[to - 1] !== '"' || (to - from) % 2 !== 0)
    throw new ConstantError('expected bytes as "0x…"');
  const bytes = Buffer.from(text.slice(from + 3, to - 1), 'hex');
  if (bytes.length !== (to - from - 4) / 2) throw new ConstantError('a digit that is not hexadecimal');
  const count = elementCount(shape);
  const item = dtype.hostBytes;
  const array = { dtype, shape: [...shape], bytes: bytes as Uint8Array };
  const packed = dtype.kind === 'pred' && bytes.length === Math.ceil(count / 8) && bytes.length !== count;
  if (packed) return { ...array, bytes: Uint8Array.from({ length: count }, (_, i) => (bytes[i >> 3]! >> (i & 7)) & 1) };
  if (bytes.length !== count * item && bytes.length !== item)
    throw new ConstantError(`${bytes.length} bytes for ${count} elements of ${dtype.name}`);
  if (dtype.kind === 'pred') for (let i = 0; i < bytes.length; i++) bytes[i] = bytes[i] === 0 ? 0 : 1;
  else if (dtype.bits < 8) for (let i = 0; i < bytes.length; i++) bytes[i]! &= (1 << dtype.bits) - 1;
  if (bytes.length === count * item) return array;
  const all = new Uint8Array(count * item);
  for (let i = 0; i < count; i++) all.set(bytes, i * item);
  return { ...array, bytes: all };
}

/** A list of lists, as deep as the shape. */
class Literal {
  readonly #text: string;
  readonly #to: number;
  readonly #type: TensorType;
  readonly #write: (index: number, bits: Bits) => void;
  #at: number;
  #count = 0;

  constructor(text: string, from: number, to: number, type: TensorType, write: (index: number, bits: Bits) => void) {
    this.#text = text;
    this.#at = from;
    this.#to = to;
    this.#type = type;
    this.#write = write;
  }

  read(): void {
    this.#list(0);
    this.#skip();
    if (this.#at !== this.#to) throw new ConstantError('text after the list of elements');
  }

  #skip(): void {
    while (this.#at < this.#to && isSpace(this.#text, this.#at)) this.#at++;
  }

  #list(depth: number): void {
    const { shape, dtype } = this.#type;
    const size = shape[depth];
    if (size === undefined) throw new ConstantError(`lists deeper than the ${shape.length} dimensions`);
    this.#at++;
    for (let i = 0; i < size; i++) {
      if (i > 0) this.#take(',');
      this.#skip();
      if (this.#text[this.#at] === '[') this.#list(depth + 1);
      else if (depth + 1 < shape.length) throw new ConstantError(`expected a list in dimension ${depth}`);
      else this.#write(this.#count++, elementBits(dtype, this.#element()));
    }
    this.#take(']');
  }

  #take(wanted: string): void {
    this.#skip();
    if (this.#at >= this.#to || this.#text[this.#at] !== wanted)
      throw new ConstantError(
        `expected ${JSON.stringify(wanted)} after ${this.#count} elements of shape [${this.#type.shape}]`,
      );
    this.#at++;
  }

  /** Text of one element; a complex one is in parentheses. */
  #element(): string {
    const from = this.#at;
    if (this.#text[from] === '(') {
      const close = this.#text.indexOf(')', from);
      if (close < 0 || close >= this.#to) throw new ConstantError('a complex number without ")"');
      this.#at = close + 1;
    } else while (this.#at < this.#to && !',]'.includes(this.#text[this.#at]!)) this.#at++;
    return this.#text.slice(from, this.#at).trim();
  }
}

const HEX = /^0x[0-9A-Fa-f]+$/;
const INTEGER = /^-?\d+$/;
const DECIMAL = /^-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?$/;

/** Bits of one element. Floats are read as doubles and then rounded, as MLIR does; hexadecimal digits are the bits. */
function elementBits(dtype: DType, text: string): Bits {
  if (dtype.component) {
    const [, re, im] = /^\(\s*([^,\s]+)\s*,\s*([^,\s]+)\s*\)$/.exec(text) ?? [];
    if (im === undefined) throw new ConstantError(`${JSON.stringify(text)} is not a complex number (re,im)`);
    const { component } = dtype;
    return BigInt(elementBits(component, re!)) | (BigInt(elementBits(component, im)) << BigInt(component.bits));
  }
  if (dtype.kind === 'float') {
    if (HEX.test(text)) return fitting(dtype, BigInt(text), text);
    if (!DECIMAL.test(text) || INTEGER.test(text)) throw new ConstantError(`${JSON.stringify(text)} is not a float`);
    const value = Number(text);
    return dtype.float?.subnormals === false ? powerOfTwo(dtype, value) : encode(dtype, value);
  }
  if (dtype.kind === 'pred') {
    if (text === 'true' || text === '1' || text === '-1') return 1;
    if (text === 'false' || text === '0') return 0;
    throw new ConstantError(`${JSON.stringify(text)} is neither true nor false`);
  }
  if (HEX.test(text)) return fitting(dtype, BigInt(text), text);
  if (!INTEGER.test(text)) throw new ConstantError(`${JSON.stringify(text)} is not an integer`);
  const value = BigInt(text);
  if (value < integerRange(dtype).min) throw new ConstantError(`${text} does not fit ${dtype.name}`);
  // A type without a sign, as MLIR's integers are, holds either half.
  return value < 0n ? encode(dtype, value) : fitting(dtype, value, text);
}

/** Of a type of powers of two: the nearest, the larger of two that are; the smallest stands for zero. */
function powerOfTwo(dtype: DType, value: number): Bits {
  const { bias, maxFinite } = dtype.float!;
  if (value === 0) return 0;
  const exponent = exponentOf(value);
  const bits = exponent + (value / 2 ** exponent < 1.5 ? 0 : 1) + bias;
  if (!(value > 0) || bits > Number(maxFinite)) throw new ConstantError(`${value} does not fit ${dtype.name}`);
  return Math.max(0, bits);
}

function fitting(dtype: DType, bits: bigint, text: string): Bits {
  if (bits >> BigInt(dtype.bits) !== 0n) throw new ConstantError(`${text} does not fit ${dtype.name}`);
  return dtype.bits > 32 ? bits : Number(bits);
}
