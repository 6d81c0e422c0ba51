/** Parses the scalars of suite files exactly: no value goes through a floating-point type. */
import type { Scalar } from './data.ts';
import { DTypeError } from './dtypes.ts';

/** A real number as written: a signed ratio, an infinity or a NaN. `negative` keeps the sign of -0 and of NaN. */
export type Exact =
  | { kind: 'nan'; negative: boolean }
  | { kind: 'inf'; negative: boolean }
  | { kind: 'ratio'; negative: boolean; num: bigint; den: bigint };

const DECIMAL = /^(\d+(?:\.\d*)?|\.\d+)(?:e([+-]?\d+))?$/;
const HEX_FLOAT = /^0x([0-9a-f]+)(?:\.([0-9a-f]*))?(?:p([+-]?\d+))?$/;

const scaled = (negative: boolean, digits: bigint, base: bigint, exponent: number): Exact => {
  if (Math.abs(exponent) > 20000) throw new DTypeError(`exponent ${exponent} is out of reach of every dtype`);
  const power = base ** BigInt(Math.abs(exponent));
  return exponent >= 0
    ? { kind: 'ratio', negative, num: digits * power, den: 1n }
    : { kind: 'ratio', negative, num: digits, den: power };
};

/** Reads a real scalar: numbers, booleans, and strings such as `-0`, `nan`, `-inf`, `1e-3`, `0x1.8p3`. */
export function parseReal(value: Scalar): Exact {
  if (typeof value === 'boolean') return { kind: 'ratio', negative: false, num: value ? 1n : 0n, den: 1n };
  if (typeof value === 'number') return exactNumber(value);
  const text = value.trim().toLowerCase();
  const negative = text.startsWith('-');
  const body = /^[+-]/.test(text) ? text.slice(1) : text;
  if (body === 'nan' || body === '.nan') return { kind: 'nan', negative };
  if (body === 'inf' || body === '.inf' || body === 'infinity') return { kind: 'inf', negative };
  if (body === 'true' || body === 'false') return parseReal(body === 'true');
  const decimal = DECIMAL.exec(body);
  if (decimal) {
    const [whole = '', fraction = ''] = decimal[1]!.split('.');
    return scaled(negative, BigInt(whole + fraction || '0'), 10n, Number(decimal[2] ?? 0) - fraction.length);
  }
  const hex = HEX_FLOAT.exec(body);
  if (hex) {
    const fraction = hex[2] ?? '';
    return scaled(negative, BigInt(`0x${hex[1]}${fraction}`), 2n, Number(hex[3] ?? 0) - 4 * fraction.length);
  }
  throw new DTypeError(`${JSON.stringify(value)} is not a number; expected a decimal, a hexadecimal, "nan" or "inf"`);
}

/** Reads a complex scalar: `1+2i`, `-2.5e3i`, `(1, nan)`, or any real. */
export function parseComplex(value: Scalar): { re: Scalar; im: Scalar } {
  if (typeof value !== 'string') return { re: value, im: 0 };
  const text = value.trim().toLowerCase();
  const pair = /^\(([^,]+),([^,]+)\)$/.exec(text);
  if (pair) return { re: pair[1]!.trim(), im: pair[2]!.trim() };
  if (!text.endsWith('i')) return { re: text, im: 0 };
  const body = text.slice(0, -1).trim();
  // The separating sign is the last one that does not belong to an exponent.
  const cut = Math.max(...[...body.matchAll(/(?<![ep])[+-]/g)].map((m) => m.index), 0);
  const re = body.slice(0, cut).trim();
  const im = body.slice(cut).replace(/\s+/g, '');
  return { re: re === '' ? 0 : re, im: im === '' || im === '+' || im === '-' ? `${im}1` : im };
}

const view = new DataView(new ArrayBuffer(8));

/** The value of a double as a ratio. */
function exactNumber(x: number): Exact {
  view.setFloat64(0, x);
  const hi = view.getUint32(0);
  const negative = hi >>> 31 === 1;
  const exponent = (hi >>> 20) & 0x7ff;
  if (exponent === 0x7ff) return { kind: Number.isNaN(x) ? 'nan' : 'inf', negative };
  const fraction = (BigInt(hi & 0xfffff) << 32n) | BigInt(view.getUint32(4));
  if (exponent === 0) return scaled(negative, fraction, 2n, -1074);
  return scaled(negative, fraction | (1n << 52n), 2n, exponent - 1075);
}
