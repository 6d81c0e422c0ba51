/** On how many devices a program runs, and how its arrays are cut over them. */
import type { Placement } from '../../knowledge/numerics/pieces.ts';
import { type DecodedCompileOptions, decodeCompileOptions } from '../../knowledge/programs/compile-options.ts';
import { type Program, ProgramError, type TensorType } from '../../knowledge/programs/program.ts';
import { partitionsOf, placementOf } from '../../knowledge/programs/sharding.ts';
import type { CompileOptions } from '../types.ts';
import type { PieceShapes, ProgramSettings } from './program-settings.ts';

/** How one array is cut in every replica, or in every device; `open`: the compiler may cut it in another way. */
type Cut = Placement & { open: boolean };

export interface ProgramDevices {
  replicas: number;
  partitions: number;
  /** Arrays may be different ones for each of so many replicas, or pieces for each of so many devices. */
  rows: number;
  inputs: Cut[];
  outputs: Cut[];
  /** Its shardings are Shardy's. */
  shardy: boolean;
}

/** A program with the types that its arrays have in files, and its devices. */
interface Placed {
  program: Program;
  /** Absent: one device. */
  devices: ProgramDevices | undefined;
}

/** How a program and its arrays are placed on devices. @throws ProgramError if its arrays cannot be cut */
export const placed = (program: Program, { options, pieces }: ProgramSettings): Placed =>
  pieces ? inPieces(program, pieces, options) : { program, devices: programDevices(program, options) };

/** A program whose settings say what each device has. */
function inPieces(program: Program, pieces: PieceShapes, options: CompileOptions = {}): Placed {
  const raw = options.raw === undefined || options.raw === 'empty' ? undefined : Buffer.from(options.raw, 'hex');
  const sent: Partial<DecodedCompileOptions> = raw ? decodeCompileOptions(raw) : {};
  const replicas = options.num_replicas ?? Math.max(1, sent.numReplicas ?? program.replicas);
  const partitions = options.num_partitions ?? Math.max(1, sent.numPartitions ?? program.partitions ?? 1);
  if (replicas * partitions === 1)
    throw new ProgramError('pieces: it runs on one device, which has whole arrays', 'leave pieces out');
  const typesOf = (side: 'inputs' | 'outputs'): TensorType[] => {
    const own = program[side];
    if (own.length !== pieces[side].length)
      throw new ProgramError(`pieces: ${side}: ${pieces[side].length} shapes, and the program has ${own.length}`);
    return own.map(({ dtype, shape }, i) => {
      const piece = pieces[side][i]!;
      const fits = piece.length === shape.length && piece.every((size, d) => size <= shape[d]!);
      if (!fits) throw new ProgramError(`pieces: ${side}: ${i}: [${piece}] is no piece of [${shape}]`);
      return { dtype, shape: piece };
    });
  };
  const [inputs, outputs] = [typesOf('inputs'), typesOf('outputs')];
  const cutsOf = (side: 'inputs' | 'outputs', types: readonly TensorType[]): Cut[] => {
    const open = sent.propagation?.[side] ?? [];
    return types.map(({ shape }, i) => ({
      shape: [...shape],
      starts: [shape.map(() => 0)],
      open: open[open.length === 1 ? 0 : i] ?? false,
    }));
  };
  return {
    program: { ...program, inputs, outputs },
    devices: {
      replicas,
      partitions,
      rows: replicas * partitions,
      inputs: cutsOf('inputs', inputs),
      outputs: cutsOf('outputs', outputs),
      shardy: sent.useShardyPartitioner ?? (program.shardings?.meshes.size ?? 0) > 0,
    },
  };
}

/**
 * The devices of a program, as its shardings say it.
 * @param options of the user, which count more than what its module says
 * @returns undefined for one device @throws ProgramError if its arrays cannot be cut
 */
function programDevices(program: Program, options: CompileOptions = {}): ProgramDevices | undefined {
  const { shardings } = program;
  const replicas = options.num_replicas ?? program.replicas;
  const declared = options.num_partitions ?? program.partitions;
  const partitions = shardings ? partitionsOf(shardings, declared) : (declared ?? 1);
  if (!shardings && partitions > 1) {
    throw new ProgramError(
      `an artifact for ${partitions} partitions: how its arrays are cut is read from text; put the text of the program beside it, NAME.mlir`,
    );
  }
  const cutsOf = (side: 'inputs' | 'outputs'): Cut[] =>
    program[side].map(({ shape }: TensorType, i) =>
      placementOf(shardings?.[side][i], shardings?.meshes ?? new Map(), shape, partitions),
    );
  const devices = { replicas, partitions, rows: replicas, inputs: cutsOf('inputs'), outputs: cutsOf('outputs') };
  return replicas * partitions === 1 ? undefined : { ...devices, shardy: (shardings?.meshes.size ?? 0) > 0 };
}
