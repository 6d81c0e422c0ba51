/** NumPy's .npy format (numpy.lib.format): a header in ASCII, then the elements. Objects (pickles) are never read. */

import { elementCount, fromBytes, type HostArray } from '../numerics/array.ts';
import { type DType, dtype } from '../numerics/dtypes.ts';
import { ArrayFileError } from './array-file-error.ts';

/** What the header of a .npy file says. */
export interface NpyHeader {
  /** NumPy's name of the element type, e.g. `<f4`. */
  descr: string;
  /** Whether the first dimension is the fastest. */
  fortran: boolean;
  shape: number[];
  /** Where the elements begin, in bytes from the beginning of the file. */
  dataAt: number;
}

const MAGIC = Buffer.from('\x93NUMPY', 'latin1');
/** Bytes from which the length of any header is known: magic, version, a length of four bytes. */
const PREFIX = 12;
/** NumPy itself refuses longer headers (numpy.lib.format._MAX_HEADER_SIZE). */
const MOST_OF_HEADER = 10_000;
/** Enough of a file to read any header. */
export const NPY_HEADER_ROOM = PREFIX + MOST_OF_HEADER;

/** NumPy's own types, without byte order. */
const NUMPY: Readonly<Record<string, string>> = {
  b1: 'pred',
  i1: 's8',
  i2: 's16',
  i4: 's32',
  i8: 's64',
  u1: 'u8',
  u2: 'u16',
  u4: 'u32',
  u8: 'u64',
  f2: 'f16',
  f4: 'f32',
  f8: 'f64',
  c8: 'c64',
  c16: 'c128',
};

/** Reads a header. @param file names the file in errors @param bytes at least NPY_HEADER_ROOM bytes, or the whole file */
export function readNpyHeader(bytes: Uint8Array, file: string): NpyHeader {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const wrong = (what: string): ArrayFileError =>
    new ArrayFileError(`${file}: ${what}; expected an array as numpy.save writes it`);
  if (buffer.length < MAGIC.length || !buffer.subarray(0, MAGIC.length).equals(MAGIC)) throw wrong('not a .npy file');
  if (buffer.length < PREFIX) throw wrong(`cut short: ${buffer.length} bytes`);
  const major = buffer[6]!;
  if (major < 1 || major > 3) throw wrong(`version ${major}.${buffer[7]} of the .npy format is unknown`);
  const start = major === 1 ? 10 : 12;
  const length = major === 1 ? buffer.readUInt16LE(8) : buffer.readUInt32LE(8);
  if (length > MOST_OF_HEADER) throw wrong(`a header of ${length} bytes`);
  if (buffer.length < start + length)
    throw wrong(`cut short: ${buffer.length} bytes, the header alone has ${start + length}`);
  const text = buffer.toString('utf8', start, start + length).trim();
  const descr = /'descr':\s*'([^']*)'/.exec(text)?.[1];
  const fortran = /'fortran_order':\s*(True|False)/.exec(text)?.[1];
  const dims = /'shape':\s*\(([\d,\sL]*)\)/.exec(text)?.[1];
  if (/'descr':\s*[[(]/.test(text)) throw wrong('an array of records (a structured dtype)');
  if (descr === undefined || fortran === undefined || dims === undefined)
    throw wrong(`the header is ${text.slice(0, 200)}`);
  const shape = dims
    .split(',')
    .map((dim) => dim.trim().replace(/L$/, ''))
    .filter((dim) => dim !== '')
    .map(Number);
  return { descr, fortran: fortran === 'True', shape, dataAt: start + length };
}

/**
 * The element type of a .npy file.
 *
 * NumPy has no names for bf16, 8-bit floats and integers below 8 bits. Arrays of them are saved as bytes without a type
 * (`|V2`), or their owner saves an integer view. So such a file is what the reader says it is, if the width fits.
 * @param wanted the type that the program or the suite expects there
 */
export function npyType({ descr }: NpyHeader, file: string, wanted?: DType): DType {
  const [, order, code] = /^([<>|=]?)(.*)$/.exec(descr)!;
  if (code === 'O' || code!.startsWith('O')) {
    throw new ArrayFileError(
      `${file}: holds pickled Python objects, which are never loaded; save an array of numbers (numpy.save with allow_pickle=False refuses others)`,
    );
  }
  const name = NUMPY[code!] ?? MACHINE_LEARNING[descr];
  const found = name === undefined ? undefined : dtype(name);
  if (found && (!wanted || wanted.name === found.name)) return found;
  if (found && wanted && isCarrier(found, wanted)) return wanted;
  // ml_dtypes calls f8e5m2 a float of one byte, a name that NumPy itself cannot read.
  const width = code === 'f1' ? '1' : /^V(\d+)$/.exec(code!)?.[1];
  if (width !== undefined && wanted && Number(width) === wanted.hostBytes) return wanted;
  if (width !== undefined && !wanted) {
    throw new ArrayFileError(
      `${file}: elements of ${width} bytes without a type (${descr}), as NumPy saves bf16 and 8-bit floats; say which: dtype`,
    );
  }
  if (wanted) {
    const held = found?.name;
    throw new ArrayFileError(
      `${file}: has elements of type ${held ?? descr}, expected ${wanted.name}`,
      held === undefined ? {} : { held },
    );
  }
  throw new ArrayFileError(`${file}: elements of type ${order}${code} have no counterpart in the C API`);
}

/** Names that ml_dtypes gives types of its own where they are written by name. */
const MACHINE_LEARNING: Readonly<Record<string, string>> = {
  bfloat16: 'bf16',
  float8_e3m4: 'f8e3m4',
  float8_e4m3: 'f8e4m3',
  float8_e4m3b11fnuz: 'f8e4m3b11fnuz',
  float8_e4m3fn: 'f8e4m3fn',
  float8_e4m3fnuz: 'f8e4m3fnuz',
  float8_e5m2: 'f8e5m2',
  float8_e5m2fnuz: 'f8e5m2fnuz',
  float8_e8m0fnu: 'f8e8m0fnu',
  float6_e2m3fn: 'f6e2m3fn',
  float6_e3m2fn: 'f6e3m2fn',
  float4_e2m1fn: 'f4e2m1fn',
  int2: 's2',
  int4: 's4',
  uint2: 'u2',
  uint4: 'u4',
};

const IN_NUMPY: ReadonlySet<string> = new Set(Object.values(NUMPY));

/** Whether NumPy lacks a type and users save it as this one: the bits as unsigned integers, narrow integers as 8-bit ones. */
const isCarrier = (found: DType, wanted: DType): boolean =>
  !IN_NUMPY.has(wanted.name) &&
  found.hostBytes === wanted.hostBytes &&
  (found.kind === 'unsigned' || (found.kind === 'signed' && wanted.kind === 'signed'));

/** Reads a whole .npy file into a dense row-major array. @param wanted see npyType */
export function readNpy(bytes: Uint8Array, file: string, wanted?: DType): HostArray {
  const header = readNpyHeader(bytes, file);
  const type = npyType(header, file, wanted);
  const count = elementCount(header.shape);
  const contents = bytes.subarray(header.dataAt);
  const expected = count * type.hostBytes;
  if (contents.length !== expected) {
    const how = contents.length < expected ? 'cut short' : 'too long';
    throw new ArrayFileError(
      `${file}: ${how}: the header says ${type.name}[${header.shape}], ${expected} bytes, and ${contents.length} follow`,
    );
  }
  const data = header.descr.startsWith('>') ? swapped(contents, type.component?.hostBytes ?? type.hostBytes) : contents;
  return fromBytes(type, header.shape, header.fortran ? transposed(data, header.shape, type.hostBytes) : data);
}

/** Big-endian elements in little-endian order. */
function swapped(bytes: Uint8Array, width: number): Uint8Array {
  const copy = Buffer.from(bytes);
  if (width === 2) return copy.swap16();
  if (width === 4) return copy.swap32();
  return width === 8 ? copy.swap64() : copy;
}

/** Elements of column-major order in row-major order. */
function transposed(bytes: Uint8Array, shape: readonly number[], width: number): Uint8Array {
  const out = new Uint8Array(bytes.length);
  const strides: number[] = [];
  let stride = width;
  for (const dim of shape) {
    strides.push(stride);
    stride *= dim;
  }
  const index = shape.map(() => 0);
  let from = 0;
  for (let to = 0; to < bytes.length; to += width) {
    for (let b = 0; b < width; b++) out[to + b] = bytes[from + b]!;
    for (let d = shape.length - 1; d >= 0; d--) {
      from += strides[d]!;
      if (++index[d]! < shape[d]!) break;
      from -= strides[d]! * shape[d]!;
      index[d] = 0;
    }
  }
  return out;
}

const DESCR: ReadonlyMap<string, string> = new Map(
  Object.entries(NUMPY).map(([code, name]) => [name, /1$/.test(code) ? `|${code}` : `<${code}`]),
);

/** The bytes of a .npy file, as numpy.save writes them; types that NumPy lacks become bytes without a type. */
export function writeNpy({ dtype: type, shape, bytes }: HostArray): Uint8Array {
  const descr = type.name === 'c128' ? '<c16' : (DESCR.get(type.name) ?? `|V${type.hostBytes}`);
  const dims = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${dims}), }`;
  // The elements begin at a multiple of 64.
  const start = Math.ceil((10 + text.length + 1) / 64) * 64;
  const file = Buffer.alloc(start + bytes.length, ' ');
  MAGIC.copy(file);
  file.writeUInt8(1, 6);
  file.writeUInt8(0, 7);
  file.writeUInt16LE(start - 10, 8);
  file.write(text, 10, 'latin1');
  file.writeUInt8(10, start - 1);
  file.set(bytes, start);
  return file;
}
