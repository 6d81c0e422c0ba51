/** Arrays in files: .npy, .npz, or the bare bytes of the elements. */

import { type FileHandle, open, readFile } from 'node:fs/promises';
import { systemReason } from '../../base/system-reason.ts';
import { ArrayError, elementCount, fromBytes, type HostArray } from '../numerics/array.ts';
import { converted } from '../numerics/convert.ts';
import { type DType, dtype } from '../numerics/dtypes.ts';
import { ArrayFileError } from './array-file-error.ts';
import { NPY_HEADER_ROOM, npyType, readNpy, readNpyHeader } from './npy.ts';
import { Npz } from './npz.ts';

/** Which array of which file. */
export interface ArrayFile {
  /** `.npy`, `.npz`, or any other name: then the bytes of the elements, row-major, little-endian. */
  path: string;
  /** The name of the array in a .npz file. */
  array?: string;
  /** The element type: needed where the file does not say it, and checked where it does. */
  dtype?: string;
  /** The shape: needed for bare bytes, and checked otherwise. */
  shape?: readonly number[];
  /** The elements have another type than `dtype`, and are converted. */
  convert?: true;
}

/** Type and shape of an array in a file. */
export interface ArrayFileFacts {
  dtype: DType;
  shape: number[];
}

/** The array. @throws ArrayFileError */
export async function readArrayFile(wanted: ArrayFile): Promise<HostArray> {
  const file = nameOf(wanted);
  const type = wanted.dtype === undefined ? undefined : dtype(wanted.dtype);
  if (!isNumpy(wanted.path)) {
    const { shape, type: bare } = described(wanted, type);
    const bytes = await contentsOf(wanted.path);
    checkLength(wanted.path, bare, shape, bytes.length);
    return fromBytes(bare, shape, bytes);
  }
  const { bytes } = await npyBytes(wanted);
  const array = readNpy(bytes, file, wanted.convert ? undefined : type);
  checkShape(file, array.shape, wanted.shape);
  return wanted.convert && type ? inType(array, type, file) : array;
}

/** Type and shape of the array, of which only the beginning is read. @throws ArrayFileError as readArrayFile would */
export async function arrayFileFacts(wanted: ArrayFile): Promise<ArrayFileFacts> {
  const file = nameOf(wanted);
  const type = wanted.dtype === undefined ? undefined : dtype(wanted.dtype);
  if (!isNumpy(wanted.path)) {
    const { shape, type: bare } = described(wanted, type);
    checkLength(wanted.path, bare, shape, await sizeOf(wanted.path));
    return { dtype: bare, shape };
  }
  const { bytes, size } = await npyBytes(wanted, NPY_HEADER_ROOM);
  const header = readNpyHeader(bytes, file);
  const found = npyType(header, file, wanted.convert ? undefined : type);
  checkLength(file, found, header.shape, size - header.dataAt);
  checkShape(file, header.shape, wanted.shape);
  return { dtype: found, shape: header.shape };
}

function inType(array: HostArray, type: DType, file: string): HostArray {
  try {
    return converted(array, type);
  } catch (error) {
    if (!(error instanceof ArrayError)) throw error;
    throw new ArrayFileError(`${file}: cannot be converted from ${array.dtype.name}: ${error.message}`);
  }
}

const isNumpy = (path: string): boolean => /\.np[yz]$/.test(path);

const nameOf = ({ path, array }: ArrayFile): string => (array === undefined ? path : `${path}, array ${array}`);

/** The bytes of a .npy file, or its first ones, and the size of the whole. */
async function npyBytes({ path, array }: ArrayFile, most?: number): Promise<{ bytes: Uint8Array; size: number }> {
  if (!path.endsWith('.npz')) return { bytes: await contentsOf(path, most), size: await sizeOf(path) };
  const archive = await Npz.open(path, path);
  try {
    if (array !== undefined) return await archive.read(array, most);
    const [only, another] = archive.names;
    if (only === undefined || another !== undefined) {
      throw new ArrayFileError(`${path}: say which array; it has ${archive.names.join(', ') || 'none'}`);
    }
    return await archive.read(only, most);
  } finally {
    archive.close();
  }
}

function described({ path, shape }: ArrayFile, type: DType | undefined): { shape: number[]; type: DType } {
  if (type && shape) return { shape: [...shape], type };
  const missing = [type ? '' : 'dtype', shape ? '' : 'shape'].filter((word) => word !== '').join(' and ');
  throw new ArrayFileError(`${path}: neither .npy nor .npz, so its bytes have no type: ${missing} must be given`);
}

function checkLength(file: string, type: DType, shape: readonly number[], length: number): void {
  const expected = elementCount(shape) * type.hostBytes;
  if (length === expected) return;
  const how = length < expected ? 'cut short' : 'too long';
  throw new ArrayFileError(`${file}: ${how}: ${type.name}[${shape}] has ${expected} bytes, and there are ${length}`);
}

function checkShape(file: string, found: readonly number[], wanted: readonly number[] | undefined): void {
  if (wanted === undefined || String(found) === String(wanted)) return;
  throw new ArrayFileError(`${file}: has shape [${found}], expected [${wanted}]`);
}

async function contentsOf(path: string, most?: number): Promise<Uint8Array> {
  if (most === undefined) return await withErrors(path, () => readFile(path));
  return await opened(path, async (handle) => {
    const bytes = new Uint8Array(most);
    const { bytesRead } = await handle.read(bytes, 0, most, 0);
    return bytes.subarray(0, bytesRead);
  });
}

const sizeOf = async (path: string): Promise<number> => (await opened(path, (handle) => handle.stat())).size;

const opened = <T>(path: string, use: (handle: FileHandle) => Promise<T>): Promise<T> =>
  withErrors(path, async () => {
    const handle = await open(path);
    try {
      return await use(handle);
    } finally {
      await handle.close();
    }
  });

async function withErrors<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw new ArrayFileError(`${path}: cannot be read: ${systemReason(error)}`);
  }
}
