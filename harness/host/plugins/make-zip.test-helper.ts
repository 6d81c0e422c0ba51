import { crc32 } from 'node:zlib';

/** One entry of a hand-made archive; the optional fields make it hostile. */
export interface ZipEntry {
  name: string;
  data: string | Buffer;
  /** Unix mode with the file type, e.g. 0o120777 for a symbolic link. */
  mode?: number;
  /** Size that the headers claim instead of the true one. */
  claimedSize?: number;
  /** Checksum that the headers claim. */
  crc?: number;
}

/** A stored (uncompressed) ZIP archive exactly as given, so that tests can write what no archiver would. */
export const makeZip = (entries: readonly ZipEntry[]): Buffer => {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, data, mode = 0o100644, claimedSize, crc } of entries) {
    const nameBytes = Buffer.from(name);
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    const size = claimedSize ?? bytes.length;
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt32LE(crc ?? crc32(bytes), 10);
    fields.writeUInt32LE(bytes.length, 14);
    fields.writeUInt32LE(size, 18);
    fields.writeUInt16LE(nameBytes.length, 22);
    locals.push(Buffer.from('PK\x03\x04'), fields, nameBytes, bytes);
    const central = Buffer.alloc(16);
    central.writeUInt32LE((mode << 16) >>> 0, 8);
    central.writeUInt32LE(offset, 12);
    directory.push(Buffer.from('PK\x01\x02\x14\x03', 'latin1'), fields, central.subarray(2), nameBytes);
    offset += 30 + nameBytes.length + bytes.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, central, Buffer.from('PK\x05\x06'), end]);
};

/** A wheel that pip accepts, containing one library. */
export const makeWheel = (
  distribution: string,
  version: string,
  tag: string,
  library: string,
  data: string,
): Buffer => {
  const info = `${distribution}-${version}.dist-info`;
  return makeZip([
    { name: library, data },
    { name: `${info}/METADATA`, data: `Metadata-Version: 2.1\nName: ${distribution}\nVersion: ${version}\n` },
    { name: `${info}/WHEEL`, data: `Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: false\nTag: ${tag}\n` },
    { name: `${info}/RECORD`, data: `${library},,\n${info}/METADATA,,\n${info}/WHEEL,,\n${info}/RECORD,,\n` },
  ]);
};
