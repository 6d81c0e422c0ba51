import type { Signature } from '../signature-types.ts';
import { ArtifactReader } from './artifact-module.ts';
import { readTables } from './bytecode-tables.ts';
import { entryOf } from './entry.ts';
import { elementTypes, valueType } from './types.ts';

/** Operations of VHLO that are not StableHLO's, and that no compiler lacks. */
const STRUCTURE: ReadonlySet<string> = new Set(['func', 'call', 'return']);
const OPERATION = /^vhlo\.(.+)_v\d+$/;

/** The signature of a portable artifact. @throws ProgramError with the place in the file */
export function signatureOfArtifact(bytes: Uint8Array, file: string): Signature {
  const tables = readTables(bytes, file);
  const { attributes, functions, values } = new ArtifactReader(tables).read();
  const { name, type } = entryOf(functions, file);
  const ops = tables.ops.flatMap((op) => OPERATION.exec(op.name)?.[1] ?? []).filter((op) => !STRUCTURE.has(op));
  const replicas = attributes.get('mhlo.num_replicas');
  const partitions = attributes.get('mhlo.num_partitions');
  return {
    entry: name,
    inputs: type.inputs.map(valueType),
    outputs: type.outputs.map(valueType),
    ops: [...new Set(ops)].sort(),
    dtypes: elementTypes(values),
    version: tables.version,
    ...(replicas === undefined ? {} : { replicas }),
    ...(partitions === undefined ? {} : { partitions }),
  };
}
