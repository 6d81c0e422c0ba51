import type { HostArray } from '../../knowledge/numerics/array.ts';
import { join, type Placement } from '../../knowledge/numerics/pieces.ts';
import { outputSharding, parameterShapes } from '../../knowledge/programs/optimized-module.ts';
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
  const chosen = wanted.open === 'unknown' ? undefined : chosenBy(context, wanted.open, wanted.whole);
  if (chosen && oddOf(pieces, chosen) === undefined) return chosen;
  throw new NotSupported(`${message}: the compiler has chosen, and neither the program nor the plugin says how`);
}

function oddOf(pieces: readonly HostArray[], { shape, starts }: Placement): number | undefined {
  const odd = pieces.findIndex((piece) => String(piece.shape) !== String(shape));
  return odd >= 0 || pieces.length !== starts.length ? Math.max(odd, 0) : undefined;
}

/** Arguments for an executable whose compiler was free to cut its parameters. @throws NotSupported if it has cut them in another way */
export function checkCut(context: CaseContext, executable: LoadedExecutable, shapes: readonly number[][]): void {
  const wanted = fromOptimized(context, executable, parameterShapes);
  const odd = wanted ? shapes.findIndex((shape, i) => String(shape) !== String(wanted[i])) : -1;
  if (odd < 0) return;
  throw new NotSupported(
    `parameter ${odd} has the shape [${wanted![odd] ?? ''}] on a device, and the argument [${shapes[odd]}]: the compiler has chosen`,
  );
}

/** What the optimized program of an executable says, if the plugin gives one that says it. */
function fromOptimized<T>(
  context: CaseContext,
  loaded: LoadedExecutable,
  read: (format: string, code: Uint8Array) => T | undefined,
): T | undefined {
  const program = ifOffered(() => context.scope.own(loaded.getExecutable()).optimizedProgram(context.arena));
  try {
    return program && read(program.format, program.code);
  } catch (error) {
    if (error instanceof ProgramError) return undefined;
    throw error;
  }
}

/** How the compiler has cut a result, as the optimized program says. */
function chosenBy(
  context: CaseContext,
  { executable, result, shape, partitions, replicas }: Exclude<NonNullable<Pieces['open']>, string>,
  whole: readonly number[],
): Placement | undefined {
  const loaded = context.resolveAs(executable, LoadedExecutable, 'a loaded executable');
  return fromOptimized(context, loaded, (format, code) => {
    const sharding = outputSharding(format, code, result);
    const cut = sharding === undefined ? undefined : placementOf(sharding, new Map(), shape, partitions);
    return cut && inReplicas(cut, replicas, whole.length > shape.length);
  });
}
