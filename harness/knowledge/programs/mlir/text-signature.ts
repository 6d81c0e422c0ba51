import { ProgramError } from '../program.ts';
import { needsOfText } from '../program-needs.ts';
import type { Signature } from '../signature-types.ts';
import { entryOf } from './entry.ts';
import { ModuleReader } from './text-module.ts';
import { valueType } from './types.ts';

/** The signature of StableHLO text. @throws ProgramError with line and column */
export function signatureOfText(bytes: Uint8Array, file: string): Signature {
  const text = decoded(bytes, file);
  if (/^\s*HloModule\b/.test(text)) throw new ProgramError(`${file}: HLO text; expected StableHLO text or an artifact`);
  const { functions, attributes } = new ModuleReader(text, file).read();
  const { name, type } = entryOf(functions, file);
  const integer = (attribute: string): number | undefined => {
    const digits = /^\d+/.exec(attributes.get(attribute)?.text ?? '')?.[0];
    return digits === undefined ? undefined : Number(digits);
  };
  const replicas = integer('mhlo.num_replicas');
  const partitions = integer('mhlo.num_partitions');
  return {
    entry: name,
    inputs: type.inputs.map(valueType),
    outputs: type.outputs.map(valueType),
    ...needsOfText(text),
    ...(replicas === undefined ? {} : { replicas }),
    ...(partitions === undefined ? {} : { partitions }),
  };
}

function decoded(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) {
      throw new ProgramError(`${file}: ${bytes.length} bytes are too long for a text; an artifact has no such limit`);
    }
    throw new ProgramError(
      `${file}: neither StableHLO text (not UTF-8) nor a portable artifact (no 'ML\u00efR' at byte 0)`,
    );
  }
}
