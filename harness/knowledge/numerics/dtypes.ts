/** The array element types of the C API and their properties, as data. */
import { didYouMean } from '../../base/did-you-mean.ts';

/** Kind of values of a type. */
type DTypeKind = 'pred' | 'signed' | 'unsigned' | 'float' | 'complex';

/** Layout of a binary floating-point type. */
export interface FloatFormat {
  /** Width of the exponent field. */
  exponent: number;
  /** Stored fraction bits, without the hidden bit. */
  mantissa: number;
  bias: number;
  signed: boolean;
  /** Whether it has infinities. */
  inf: boolean;
  /**
   * The encoding of NaNs. `ieee`: largest exponent with a nonzero fraction. `all-ones`: every bit except the sign is one.
   * `negative-zero`: the pattern that would be -0. `none`: there is no NaN.
   */
  nan: 'ieee' | 'all-ones' | 'negative-zero' | 'none';
  /** Whether exponent field 0 means zero and subnormals; false only for f8e8m0fnu, which has neither. */
  subnormals: boolean;
  /** Magnitude bits (without sign) of the largest finite value. */
  maxFinite: bigint;
}

/** An element type: plain data, safe to compare by `name`. */
export interface DType {
  /** Lower-case name used in suites, e.g. `f8e4m3fn`. */
  name: string;
  /** `PJRT_Buffer_Type_F8E4M3FN`. */
  enumName: string;
  enumValue: number;
  /** Lowest minor version of the C API whose enum has it; 31 means "31 or earlier". */
  since: number;
  /** Value bits. pred has 8: its byte must be exactly 0 or 1. */
  bits: number;
  /** Bytes per element in dense host memory: one for every sub-byte type. */
  hostBytes: number;
  kind: DTypeKind;
  /** Only for `float`. */
  float?: FloatFormat;
  /** Only for `complex`: the type of the real and of the imaginary part. */
  component?: DType;
}

/** A type or a value that does not exist. */
export class DTypeError extends Error {
  override name = 'DTypeError';
}

const maxFiniteOf = (f: Omit<FloatFormat, 'maxFinite'>): bigint => {
  const ones = (1n << BigInt(f.exponent + f.mantissa)) - 1n;
  if (f.nan === 'ieee') return ones - (1n << BigInt(f.mantissa));
  return f.nan === 'all-ones' ? ones - 1n : ones;
};

const format = (exponent: number, mantissa: number, bias: number, rest: Partial<FloatFormat> = {}): FloatFormat => {
  const facts = { exponent, mantissa, bias, signed: true, inf: true, nan: 'ieee', subnormals: true, ...rest } as const;
  return { ...facts, maxFinite: maxFiniteOf(facts) };
};

type Row = [name: string, enumValue: number, since: number, bits: number, kind: DTypeKind, float?: FloatFormat];

const finite = { inf: false, nan: 'none' } as const;
const fnuz = { inf: false, nan: 'negative-zero' } as const;

const ROWS: readonly Row[] = [
  ['pred', 1, 31, 8, 'pred'],
  ['s8', 2, 31, 8, 'signed'],
  ['s16', 3, 31, 16, 'signed'],
  ['s32', 4, 31, 32, 'signed'],
  ['s64', 5, 31, 64, 'signed'],
  ['u8', 6, 31, 8, 'unsigned'],
  ['u16', 7, 31, 16, 'unsigned'],
  ['u32', 8, 31, 32, 'unsigned'],
  ['u64', 9, 31, 64, 'unsigned'],
  ['f16', 10, 31, 16, 'float', format(5, 10, 15)],
  ['f32', 11, 31, 32, 'float', format(8, 23, 127)],
  ['f64', 12, 31, 64, 'float', format(11, 52, 1023)],
  ['bf16', 13, 31, 16, 'float', format(8, 7, 127)],
  ['c64', 14, 31, 64, 'complex'],
  ['c128', 15, 31, 128, 'complex'],
  ['f8e5m2', 16, 31, 8, 'float', format(5, 2, 15)],
  ['f8e4m3fn', 17, 31, 8, 'float', format(4, 3, 7, { inf: false, nan: 'all-ones' })],
  ['f8e4m3b11fnuz', 18, 31, 8, 'float', format(4, 3, 11, fnuz)],
  ['f8e5m2fnuz', 19, 31, 8, 'float', format(5, 2, 16, fnuz)],
  ['f8e4m3fnuz', 20, 31, 8, 'float', format(4, 3, 8, fnuz)],
  ['s4', 21, 31, 4, 'signed'],
  ['u4', 22, 31, 4, 'unsigned'],
  ['s2', 24, 53, 2, 'signed'],
  ['u2', 25, 53, 2, 'unsigned'],
  ['f8e4m3', 26, 55, 8, 'float', format(4, 3, 7)],
  ['f8e3m4', 27, 55, 8, 'float', format(3, 4, 3)],
  [
    'f8e8m0fnu',
    28,
    63,
    8,
    'float',
    format(8, 0, 127, { inf: false, nan: 'all-ones', signed: false, subnormals: false }),
  ],
  ['f4e2m1fn', 29, 63, 4, 'float', format(2, 1, 1, finite)],
  ['s1', 30, 94, 1, 'signed'],
  ['u1', 31, 94, 1, 'unsigned'],
  ['f6e2m3fn', 32, 114, 6, 'float', format(2, 3, 1, finite)],
  ['f6e3m2fn', 33, 114, 6, 'float', format(3, 2, 3, finite)],
];

const table = new Map<string, DType>();
for (const [name, enumValue, since, bits, kind, float] of ROWS) {
  const enumName = `PJRT_Buffer_Type_${name.toUpperCase()}`;
  const type: DType = { name, enumName, enumValue, since, bits, hostBytes: Math.ceil(bits / 8), kind };
  if (float) type.float = float;
  table.set(name, type);
}
table.get('c64')!.component = table.get('f32')!;
table.get('c128')!.component = table.get('f64')!;

/** Every array element type, in the order of the C enum. */
export const DTYPES: readonly DType[] = [...table.values()];

/** The type with this lower-case name. */
export function dtype(name: string): DType {
  const found = table.get(name);
  if (found) return found;
  const hint = didYouMean(name, table.keys()) ?? `there are ${[...table.keys()].join(', ')}`;
  throw new DTypeError(`unknown dtype ${JSON.stringify(name)}; ${hint}`);
}

/** The type with this value in `PJRT_Buffer_Type`, or undefined for INVALID, TOKEN and values newer than the table. */
export function dtypeOfEnum(enumValue: number): DType | undefined {
  return DTYPES.find((type) => type.enumValue === enumValue);
}

/** Exponent of the smallest normal value. */
export const minExponent = (f: FloatFormat): number => (f.subnormals ? 1 : 0) - f.bias;
