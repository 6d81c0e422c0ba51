import { dtypeOfEnum } from '../../knowledge/numerics/dtypes.ts';
import type { Contents } from '../../knowledge/trace/bodies.ts';
import type { Trace, TraceManifest } from '../../knowledge/trace/open-trace.ts';
import type { RecordedExecution } from './executions.ts';

/** Arguments or results of an execution. */
interface Side {
  /** Of each array the bytes: what all devices have, or the pieces of all devices one behind the other. */
  arrays: Buffer[];
  /** Of each array the shape that a device has. */
  pieces: number[][];
}

/** Arrays of an execution. */
export interface Arrays {
  inputs: Side;
  /** Without arrays if the trace does not have all results. */
  outputs: Side;
}

/**
 * The arrays of an execution, or why there are none. Without results the program still runs, and an oracle can say what they are.
 * @throws TraceError
 */
export function arraysOf(trace: Trace, execution: RecordedExecution): Arrays | string {
  const inputs = sideOf(trace, execution, 'argument', execution.arguments);
  if (typeof inputs === 'string') return inputs;
  const outputs = sideOf(trace, execution, 'result', execution.results);
  if (typeof outputs !== 'string') return { inputs, outputs };
  if (execution.devices === 1) return { inputs, outputs: { arrays: [], pieces: [] } };
  const pieces = piecesOf(trace, execution, 'result', execution.results);
  return typeof pieces === 'string'
    ? pieces
    : { inputs, outputs: { arrays: [], pieces: pieces.map(([{ dims }]) => dims) } };
}

function sideOf(trace: Trace, execution: RecordedExecution, role: Role, count: number): Side | string {
  const pieces = piecesOf(trace, execution, role, count);
  if (typeof pieces === 'string') return pieces;
  const side: Side = { arrays: [], pieces: pieces.map(([{ dims }]) => dims) };
  for (const [i, devices] of pieces.entries()) {
    const own: Buffer[] = [];
    for (const { data } of devices) {
      if (!data) return `its ${role} ${i} could not be read when it ran`;
      const bytes = trace.bytesOf(data);
      if (!bytes) return KEPT[trace.manifest.keep];
      own.push(bytes);
    }
    const same = own.every((bytes) => bytes.equals(own[0]!));
    side.arrays.push(same ? own[0]! : Buffer.concat(own));
  }
  return side;
}

type Role = 'argument' | 'result';

/** What each device has of each array of one side. */
function piecesOf(
  { manifest }: Trace,
  { contents, devices }: RecordedExecution,
  role: Role,
  count: number,
): [Contents, ...Contents[]][] | string {
  const own = contents.filter((one) => one.role === role);
  const pieces: [Contents, ...Contents[]][] = [];
  for (let i = 0; i < count; i++) {
    const found = Array.from({ length: devices }, (_, d) => own.find((one) => one.index === i && one.device === d));
    const [first] = found;
    if (!first || found.includes(undefined)) return unread(manifest);
    if (!dtypeOfEnum(first.type))
      return `its ${role} ${i} has an element type without arrays (PJRT_Buffer_Type ${first.type})`;
    if (found.some((one) => String(one!.dims) !== String(first.dims)))
      return `its ${role} ${i} has pieces of different shapes`;
    pieces.push(found as [Contents, ...Contents[]]);
  }
  return pieces;
}

const unread = ({ keep, contents }: TraceManifest): string =>
  keep === 'none'
    ? KEPT.none
    : `its arrays were not read (\`record --contents ${contents}\`); \`--contents every\` reads all`;

const KEPT: Readonly<Record<TraceManifest['keep'], string>> = {
  all: 'the trace has no host data of it',
  hashes:
    'the trace has digests of its arrays only (`record --keep hashes`), and no program runs on digests; record again with `--keep all`',
  none: 'the trace has no host data (`record --keep none`); record again with `--keep all`',
};
