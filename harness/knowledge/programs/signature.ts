import { type ArtifactFacts, ArtifactReader } from './mlir/artifact-module.ts';
import { isBytecode } from './mlir/bytecode-header.ts';
import { readTables } from './mlir/bytecode-tables.ts';
import { entryOf } from './mlir/entry.ts';
import { ModuleReader } from './mlir/text-module.ts';
import { elementTypes, valueType } from './mlir/types.ts';
import { ProgramError } from './program.ts';
import { needsOfText } from './program-needs.ts';
import type { Signature } from './signature-types.ts';

export type { Signature, ValueType } from './signature-types.ts';

/**
 * The signature of a program in a file of the user: StableHLO text or a portable artifact, whatever the name of the file is.
 * @throws ProgramError that says where the file cannot be read, and what was expected there
 */
export function signatureOf(bytes: Uint8Array, file: string): Signature {
  const { functions, attributes, ...more } = isBytecode(bytes) ? ofArtifact(bytes, file) : ofText(bytes, file);
  const { name, type } = entryOf(functions, file);
  return {
    entry: name,
    inputs: type.inputs.map(valueType),
    outputs: type.outputs.map(valueType),
    ...more,
    replicas: attributes.get('mhlo.num_replicas'),
    partitions: attributes.get('mhlo.num_partitions'),
  };
}

/** What both forms of a program give. */
type Read = Pick<ArtifactFacts, 'functions' | 'attributes'> & Pick<Signature, 'ops' | 'dtypes' | 'version'>;

/** Operations of VHLO that are not StableHLO's, and that no compiler lacks. */
const STRUCTURE: ReadonlySet<string> = new Set(['func', 'call', 'return']);
const OPERATION = /^vhlo\.(.+)_v\d+$/;

function ofArtifact(bytes: Uint8Array, file: string): Read {
  const tables = readTables(bytes, file);
  const { values, ...facts } = new ArtifactReader(tables).read();
  const ops = tables.ops.flatMap((op) => OPERATION.exec(op.name)?.[1] ?? []).filter((op) => !STRUCTURE.has(op));
  return { ...facts, ops: [...new Set(ops)].sort(), dtypes: elementTypes(values), version: tables.version };
}

function ofText(bytes: Uint8Array, file: string): Read {
  const text = decoded(bytes, file);
  if (/^\s*HloModule\b/.test(text)) throw new ProgramError(`${file}: HLO text; expected StableHLO text or an artifact`);
  const { functions, attributes } = new ModuleReader(text, file).read();
  const integers = [...attributes].flatMap(([name, value]): [string, number][] => {
    const digits = /^\d+/.exec(value.text)?.[0];
    return digits === undefined ? [] : [[name, Number(digits)]];
  });
  return { functions, attributes: new Map(integers), ...needsOfText(text) };
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
