/** "ML", EF, "R": the first bytes of MLIR bytecode of any dialect. */
const MAGIC = [0x4d, 0x4c, 0xef, 0x52];

/** Whether a file is MLIR bytecode, rather than text; two bytes are enough to decide. */
export const isBytecode = (bytes: Uint8Array): boolean =>
  bytes.length >= 2 && MAGIC.slice(0, bytes.length).every((byte, at) => bytes[at] === byte);
