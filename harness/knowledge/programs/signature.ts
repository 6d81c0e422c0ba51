import { signatureOfArtifact } from './mlir/artifact-signature.ts';
import { isBytecode } from './mlir/bytecode-header.ts';
import { signatureOfText } from './mlir/text-signature.ts';
import type { Signature } from './signature-types.ts';

export type { Signature, ValueType } from './signature-types.ts';

/**
 * The signature of a program in a file of the user: StableHLO text or a portable artifact, whatever the name of the file is.
 * @throws ProgramError that says where the file cannot be read, and what was expected there
 */
export function signatureOf(bytes: Uint8Array, file: string): Signature {
  return isBytecode(bytes) ? signatureOfArtifact(bytes, file) : signatureOfText(bytes, file);
}
