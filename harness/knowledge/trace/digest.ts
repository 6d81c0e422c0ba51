import { createCipheriv, createHash } from 'node:crypto';

const NONE = Buffer.alloc(16);

/** The name of data: what AES-128-GCM says of data alone (GMAC), with a key and a nonce of zeros, in hexadecimal digits. */
export function digestOf(bytes: Uint8Array): string {
  const cipher = createCipheriv('aes-128-gcm', NONE, NONE.subarray(0, 12));
  cipher.setAAD(bytes);
  cipher.final();
  return cipher.getAuthTag().toString('hex');
}

/** The name in recordings of format 1.0: the first 16 bytes of the BLAKE2b digest of 512 bits. */
const formerDigestOf = (bytes: Uint8Array): string =>
  createHash('blake2b512')
    .update(bytes)
    .digest('hex')
    .slice(0, NONE.length * 2);

/** Whether data has this name in a recording of any version. */
export const hasName = (bytes: Uint8Array, name: string): boolean =>
  digestOf(bytes) === name || formerDigestOf(bytes) === name;
