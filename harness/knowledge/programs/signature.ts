import { fileKind } from './file-kind.ts';
import { type ArtifactFacts, ArtifactReader } from './mlir/artifact-module.ts';
import { isBytecode } from './mlir/bytecode-header.ts';
import { readTables } from './mlir/bytecode-tables.ts';
import { type EntryCandidate, entryOf } from './mlir/entry.ts';
import { ModuleReader } from './mlir/text-module.ts';
import { elementTypes, valueType } from './mlir/types.ts';
import { ProgramError, type Shardings } from './program.ts';
import { needsOfText } from './program-needs.ts';
import type { Signature } from './signature-types.ts';

export type { Signature, ValueType } from './signature-types.ts';

/**
 * The signature of a program in a file of the user: StableHLO text or a portable artifact, whatever the name of the file is.
 * @throws ProgramError that says where the file cannot be read, and what was expected there
 */
export function signatureOf(bytes: Uint8Array, file: string): Signature {
  const { functions, attributes, meshes, ...more } = isBytecode(bytes) ? ofArtifact(bytes, file) : ofText(bytes, file);
  const { name, type, shardings } = entryOf<Function>(functions, file);
  return {
    entry: name,
    inputs: type.inputs.map(valueType),
    outputs: type.outputs.map(valueType),
    ...more,
    ...(meshes && shardings ? { shardings: { ...shardings, meshes } } : {}),
    replicas: attributes.get('mhlo.num_replicas'),
    partitions: attributes.get('mhlo.num_partitions'),
  };
}

type Function = EntryCandidate & { shardings?: Pick<Shardings, 'inputs' | 'outputs'> };

/** What both forms of a program give. */
interface Read extends Pick<ArtifactFacts, 'attributes'>, Pick<Signature, 'ops' | 'dtypes' | 'dynamic' | 'version'> {
  functions: Function[];
  meshes?: Shardings['meshes'];
}

/** Operations of VHLO that are not StableHLO's, and that no compiler lacks. */
const STRUCTURE: ReadonlySet<string> = new Set(['func', 'call', 'return']);
const OPERATION = /^vhlo\.(.+)_v\d+$/;

function ofArtifact(bytes: Uint8Array, file: string): Read {
  const tables = readTables(bytes, file);
  const { values, ...facts } = new ArtifactReader(tables).read();
  const ops = tables.ops.flatMap((op) => OPERATION.exec(op.name)?.[1] ?? []).filter((op) => !STRUCTURE.has(op));
  const dynamic = [...values].some((type) => /dynamic|unranked/.test(valueType(type).special ?? ''));
  return {
    ...facts,
    ops: [...new Set(ops)].sort(),
    dtypes: elementTypes(values),
    ...(dynamic ? { dynamic } : {}),
    version: tables.version,
  };
}

function ofText(bytes: Uint8Array, file: string): Read {
  const kind = fileKind(bytes);
  if (kind) throw new ProgramError(`${file}: ${kind.what}; expected StableHLO text or a portable artifact`, kind.help);
  const text = decoded(bytes, file);
  const { functions, attributes, meshes } = new ModuleReader(text, file).read();
  const integers = [...attributes].flatMap(([name, value]): [string, number][] => {
    const digits = /^\d+/.exec(value.text)?.[0];
    return digits === undefined ? [] : [[name, Number(digits)]];
  });
  const all = new Map([...meshes, ...frontendMeshes(attributes.get('mhlo.frontend_attributes')?.text ?? '')]);
  return { functions, attributes: new Map(integers), meshes: all, ...needsOfText(text) };
}

/** `xla.sdy.meshes = {mesh = #sdy.mesh<["x"=2]>}`, with quotes and escapes. */
const frontendMeshes = (text: string): [string, string][] =>
  [
    ...text
      .replace(/\\22|\\"/g, '"')
      .matchAll(/([\w.$-]+)\s*=\s*"?#sdy\.mesh(<\[[^\]]*\](?:,\s*device_ids=\[[^\]]*\])?>)/g),
  ].map(([, name, mesh]) => [name!, mesh!]);

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
