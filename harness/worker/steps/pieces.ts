import type { HostArray } from '../../knowledge/numerics/array.ts';
import { join, type Placement } from '../../knowledge/numerics/pieces.ts';
import { outputSharding } from '../../knowledge/programs/optimized-module.ts';
import { ProgramError } from '../../knowledge/programs/program.ts';
import { inReplicas, placementOf } from '../../knowledge/programs/sharding.ts';
import type { Pieces } from '../../suite/types.ts';
import { LoadedExecutable } from '../pjrt/executable.ts';
import type { CaseContext } from './context.ts';
import { ifOffered } from './device-format.ts';
import { CheckFailure, NotSupported } from './outcome.ts';

/** Puts the pieces of a result together, and binds the whole and its further copies. */
export function bindWhole(context: CaseContext, name: string, pieces: readonly HostArray[], wanted: Pieces): void {
  const placement = placementIn(context, name, pieces, wanted);
  const [first, ...copies] = join(pieces, placement, wanted.whole);
  context.bind(name, first);
  // Where the compiler has cut what could have been whole there are fewer.
  context.bind(
    wanted.copies,
    Array.from({ length: wanted.starts.length }, (_, copy) => copies[copy] ?? first),
  );
}

function placementIn(context: CaseContext, name: string, pieces: readonly HostArray[], wanted: Pieces): Placement {
  const odd = oddOf(pieces, wanted);
  if (odd === undefined) return wanted;
  const message = `${name} has the shape [${pieces[odd]!.shape}] on device ${odd} of ${pieces.length}, where a piece of [${wanted.shape}] is due`;
  if (!wanted.open) throw new CheckFailure({ type: 'pjrt.AssertionFailed', message, call: 'PJRT_Buffer_Dimensions' });
  const chosen = chosenBy(context, wanted.open, wanted.whole);
  if (chosen && oddOf(pieces, chosen) === undefined) return chosen;
  throw new NotSupported(`${message}: the compiler has chosen, and neither the program nor the plugin says how`);
}

function oddOf(pieces: readonly HostArray[], { shape, starts }: Placement): number | undefined {
  const odd = pieces.findIndex((piece) => String(piece.shape) !== String(shape));
  return odd >= 0 || pieces.length !== starts.length ? Math.max(odd, 0) : undefined;
}

/** How the compiler has cut a result, as the optimized program says. */
function chosenBy(
  context: CaseContext,
  { executable, result, shape, partitions, replicas }: NonNullable<Pieces['open']>,
  whole: readonly number[],
): Placement | undefined {
  const loaded = context.resolveAs(executable, LoadedExecutable, 'a loaded executable');
  const program = ifOffered(() => context.scope.own(loaded.getExecutable()).optimizedProgram(context.arena));
  try {
    const sharding = program && outputSharding(program.format, program.code, result);
    const cut = sharding === undefined ? undefined : placementOf(sharding, new Map(), shape, partitions);
    return cut && inReplicas(cut, replicas, whole.length > shape.length);
  } catch (error) {
    if (error instanceof ProgramError) return undefined;
    throw error;
  }
}
