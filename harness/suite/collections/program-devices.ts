/** On how many devices a program runs, and how its arrays are cut over them. */
import type { Placement } from '../../knowledge/numerics/pieces.ts';
import { type Program, ProgramError, type TensorType } from '../../knowledge/programs/program.ts';
import { partitionsOf, placementOf } from '../../knowledge/programs/sharding.ts';
import type { CompileOptions } from '../types.ts';

/** How one array is cut in every replica; `open`: the compiler may cut it in another way. */
type Cut = Placement & { open: boolean };

export interface ProgramDevices {
  replicas: number;
  partitions: number;
  inputs: Cut[];
  outputs: Cut[];
  /** Its shardings are Shardy's. */
  shardy: boolean;
}

/**
 * The devices of a program.
 * @param options of the user, which count more than what its module says
 * @returns undefined for one device @throws ProgramError if its arrays cannot be cut
 */
export function programDevices(program: Program, options: CompileOptions = {}): ProgramDevices | undefined {
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
  const devices = { replicas, partitions, inputs: cutsOf('inputs'), outputs: cutsOf('outputs') };
  return replicas * partitions === 1 ? undefined : { ...devices, shardy: (shardings?.meshes.size ?? 0) > 0 };
}
