import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs';

const SETUID = 0o6000;
const PT_INTERP = 3;

/**
 * Why the loader takes no library into a program, before it runs; undefined if nothing is in the way.
 * @param path of the program
 */
export function cannotPreload(path: string): string | undefined {
  const file = realpathSync(path);
  if ((statSync(file).mode & SETUID) !== 0)
    return `${path} is setuid or setgid, and the loader gives such programs no library of LD_PRELOAD; record a copy without that bit`;
  const head = beginningOf(file);
  if (head.toString('latin1', 0, 4) !== '\u007fELF') return undefined;
  const interpreter = interpreterOf(head);
  if (interpreter === undefined)
    return `${path} is linked statically, and has no loader that could bring a library in; record the program that it starts, or a dynamic build`;
  if (/ld-musl/.test(interpreter)) return `${path} uses musl (${interpreter}); the recorder is for glibc`;
  return undefined;
}

/** As much as holds the headers of any program. */
function beginningOf(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(65536);
    return head.subarray(0, readSync(file, head, 0, head.length, 0));
  } finally {
    closeSync(file);
  }
}

/** The loader that an ELF program names. */
function interpreterOf(bytes: Buffer): string | undefined {
  if (bytes[4] !== 2 || bytes.length < 64) return undefined;
  const [table, size, count] = [Number(bytes.readBigUInt64LE(32)), bytes.readUInt16LE(54), bytes.readUInt16LE(56)];
  for (let i = 0; i < count; i++) {
    const at = table + i * size;
    if (at + 56 > bytes.length) return undefined;
    if (bytes.readUInt32LE(at) !== PT_INTERP) continue;
    const offset = Number(bytes.readBigUInt64LE(at + 8));
    const length = Number(bytes.readBigUInt64LE(at + 32));
    return bytes.toString('latin1', offset, offset + length).replace(/\0.*$/s, '');
  }
  return undefined;
}
