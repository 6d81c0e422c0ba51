import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ZipFile } from 'yazl';
import { fromBits, fromValues } from '../numerics/array.ts';
import { DTYPES, dtype } from '../numerics/dtypes.ts';
import { arrayFileFacts, readArrayFile } from './array-file.ts';
import { readNpy, readNpyHeader, writeNpy } from './npy.ts';

const directory = mkdtempSync(join(tmpdir(), 'arrays-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** A .npy file with this header. */
function npy(header: string, data: Uint8Array | readonly number[] = [], version = 1): Buffer {
  const length = Buffer.alloc(version === 1 ? 2 : 4);
  if (version === 1) length.writeUInt16LE(header.length);
  else length.writeUInt32LE(header.length);
  return Buffer.concat([
    Buffer.from('\x93NUMPY', 'latin1'),
    Buffer.from([version, 0]),
    length,
    Buffer.from(header),
    Buffer.from(data),
  ]);
}

const header = (descr: string, shape: string, fortran = 'False'): string =>
  `{'descr': '${descr}', 'fortran_order': ${fortran}, 'shape': (${shape}), }\n`;

function place(name: string, bytes: Uint8Array): string {
  const path = join(directory, name);
  writeFileSync(path, bytes);
  return path;
}

async function npz(name: string, members: Record<string, Uint8Array>, compress = false): Promise<string> {
  const zip = new ZipFile();
  for (const [member, bytes] of Object.entries(members)) {
    zip.addBuffer(Buffer.from(bytes), `${member}.npy`, { compress });
  }
  zip.end();
  const chunks: Buffer[] = [];
  for await (const chunk of zip.outputStream) chunks.push(chunk as Buffer);
  return place(name, Buffer.concat(chunks));
}

test('every element type survives writing and reading', () => {
  for (const type of DTYPES) {
    const array = fromBits(type, [2, 1], [1, 0]);
    const read = readNpy(writeNpy(array), 'x.npy', type);
    expect({ ...read, bytes: [...read.bytes] }).toEqual({ ...array, bytes: [...array.bytes] });
    expect(readNpyHeader(writeNpy(array), 'x.npy').dataAt % 64).toBe(0);
  }
});

test('both byte orders, both orders of dimensions, every version of the format, and old headers', () => {
  expect([...readNpy(npy(header('>i2', '2,'), [1, 2, 3, 4]), 'x').bytes]).toEqual([2, 1, 4, 3]);
  expect([...readNpy(npy(header('>c8', '1,'), [1, 2, 3, 4, 5, 6, 7, 8]), 'x').bytes]).toEqual([4, 3, 2, 1, 8, 7, 6, 5]);
  const fortran = readNpy(npy(header('|u1', '2, 3', 'True'), [1, 2, 3, 4, 5, 6]), 'x');
  expect([...fortran.bytes]).toEqual([1, 3, 5, 2, 4, 6]);
  for (const version of [1, 2, 3]) {
    expect(readNpy(npy(header('<i4', ''), [7, 0, 0, 0], version), 'x').shape).toEqual([]);
  }
  expect(readNpy(npy(header('|u1', '2L, 1L'), [7, 0]), 'x').shape).toEqual([2, 1]);
  expect(readNpy(npy(header('<f4', '0, 3')), 'x').shape).toEqual([0, 3]);
});

test('types that NumPy lacks are what the reader says, if the width fits', () => {
  const bytes = npy(header('<V2', '1,'), [0x80, 0x3f]);
  expect(readNpy(bytes, 'x', dtype('bf16')).dtype.name).toBe('bf16');
  expect(readNpy(npy(header('<u2', '1,'), [0x80, 0x3f]), 'x', dtype('bf16')).dtype.name).toBe('bf16');
  expect(readNpy(npy(header('|i1', '1,'), [0xff]), 'x', dtype('s4')).dtype.name).toBe('s4');
  expect(readNpy(npy(header('bfloat16', '1,'), [0x80, 0x3f]), 'x').dtype.name).toBe('bf16');
  expect(() => readNpy(bytes, 'x.npy')).toThrow(/x\.npy: elements of 2 bytes without a type .* say which: dtype/);
  expect(() => readNpy(bytes, 'x.npy', dtype('f8e5m2'))).toThrow(/expected f8e5m2/);
  expect(() => readNpy(npy(header('<f4', '1,'), [0, 0, 0, 0]), 'x.npy', dtype('bf16'))).toThrow(
    'x.npy: has elements of type f32, expected bf16',
  );
  expect(() => readNpy(npy(header('<u4', '1,'), [0, 0, 0, 0]), 'x.npy', dtype('s32'))).toThrow(/expected s32/);
});

test.each([
  ['pickled objects', npy(header('|O', '1,'), [1]), /pickled Python objects, which are never loaded/],
  ['text', npy(header('<U3', '1,'), [1]), /elements of type <U3 have no counterpart in the C API/],
  ['records', npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }"), /structured dtype/],
  ['no array', Buffer.from('PK\x03\x04'), /not a \.npy file; expected an array as numpy\.save writes it/],
  ['an empty file', Buffer.alloc(0), /not a \.npy file/],
  ['half a prefix', npy('').subarray(0, 9), /cut short: 9 bytes/],
  ['half a header', npy(header('<f4', '1,')).subarray(0, 30), /cut short: 30 bytes, the header alone has/],
  ['a damaged header', npy("{'descr': '<f4', 'fortran_order': Maybe}"), /the header is/],
  ['an endless header', npy('x'.repeat(20_000), [], 2), /a header of 20000 bytes/],
  ['a future version', npy('', [], 9), /version 9\.0 of the \.npy format is unknown/],
  ['half the elements', npy(header('<f4', '2,'), [0, 0, 0, 0]), /cut short: .* f32\[2\], 8 bytes, and 4 follow/],
  ['too many elements', npy(header('<f4', '1,'), [0, 0, 0, 0, 0]), /too long/],
])('%s: one error that names the file', (_, bytes, message) => {
  expect(() => readNpy(bytes, 'x.npy')).toThrow(message);
  expect(() => readNpy(bytes, 'x.npy')).toThrow(/^x\.npy: /);
});

test('arrays of archives, stored and compressed, and of bare files', async () => {
  const a = writeNpy(fromValues(dtype('f32'), [2], [1, 2]));
  const b = writeNpy(fromValues(dtype('bf16'), [], [3]));
  for (const compress of [false, true]) {
    const path = await npz(`two-${compress}.npz`, { arg0: a, arg1: b }, compress);
    expect(await readArrayFile({ path, array: 'arg0' })).toEqual(readNpy(a, ''));
    expect((await arrayFileFacts({ path, array: 'arg1', dtype: 'bf16', shape: [] })).dtype.name).toBe('bf16');
    await expect(readArrayFile({ path, array: 'arg2' })).rejects.toThrow(
      `${path}: has no array arg2; it has arg0, arg1`,
    );
    await expect(readArrayFile({ path })).rejects.toThrow(/say which array; it has arg0, arg1/);
    await expect(arrayFileFacts({ path, array: 'arg0', shape: [3] })).rejects.toThrow('has shape [2], expected [3]');
  }
  expect((await readArrayFile({ path: await npz('one.npz', { x: a }) })).shape).toEqual([2]);
  const bare = place('x.bin', Uint8Array.from([1, 2, 3, 4]));
  expect((await readArrayFile({ path: bare, dtype: 'u8', shape: [2, 2] })).shape).toEqual([2, 2]);
  for (const read of [readArrayFile, arrayFileFacts]) {
    await expect(read({ path: bare })).rejects.toThrow(/dtype and shape must be given/);
    await expect(read({ path: bare, dtype: 'u8', shape: [3] })).rejects.toThrow(/too long/);
    await expect(read({ path: join(directory, 'none.npy') })).rejects.toThrow(/cannot be read: there is no such file/);
  }
});

test('a truncated or damaged archive, and a truncated file, are reported before their elements are read', async () => {
  const path = await npz('whole.npz', { x: writeNpy(fromValues(dtype('f32'), [100], new Array(100).fill(1))) });
  const bytes = readFileSync(path);
  const cut = place('cut.npz', bytes.subarray(0, 200));
  await expect(arrayFileFacts({ path: cut, array: 'x' })).rejects.toThrow(/cut\.npz: cannot be read: .*truncated/i);
  const flipped = Buffer.from(bytes);
  flipped[300]! ^= 1;
  const damaged = place('damaged.npz', flipped);
  await expect(readArrayFile({ path: damaged, array: 'x' })).rejects.toThrow(/array x is damaged: its checksum/);
  const short = place('short.npy', writeNpy(fromValues(dtype('f32'), [4], [1, 2, 3, 4])).subarray(0, 130));
  await expect(arrayFileFacts({ path: short })).rejects.toThrow(
    /short\.npy: cut short: f32\[4\] has 16 bytes, and there are 2/,
  );
  // A megabyte that unpacks to gigabytes is not unpacked.
  const four = writeNpy(fromValues(dtype('f32'), [4], [1, 2, 3, 4]));
  const bomb = await npz('bomb.npz', { x: Buffer.concat([four, Buffer.alloc(1 << 20)]) }, true);
  await expect(arrayFileFacts({ path: bomb, array: 'x' })).rejects.toThrow(
    /bomb\.npz, array x: too long: f32\[4\] has 16 bytes, and there are 1048592/,
  );
});
