import type { Field, StructLayout } from './struct-layout.ts';

/**
 * What a function is, by the annotations of its arguments; what is true of a kind is checked of every function of it.
 *
 * - `query`: it answers, and gives the caller nothing to free
 * - `creator`: the caller owns something of what it gives
 * - `act`: it does something: it destroys, changes or waits
 *
 * and besides, by what it takes: `text`, a `shape` (dimensions), a `range` of memory (an offset and a size).
 */
export type FunctionKind = 'query' | 'creator' | 'act' | 'text' | 'shape' | 'range';

/** The kinds of a function with these arguments. */
export function kindsOf(args: StructLayout): ReadonlySet<FunctionKind> {
  const owned = args.fields.some((f) => f.destroy !== undefined || f.deleter !== undefined || f.spentBy !== undefined);
  const is: FunctionKind = owned ? 'creator' : args.outputs.length > 0 ? 'query' : 'act';
  const takes = (kind: FunctionKind, so: boolean): FunctionKind[] => (so ? [kind] : []);
  return new Set([
    is,
    ...takes('text', args.inputs.some(holdsText)),
    ...takes(
      'shape',
      args.inputs.some((f) => /^(shape_)?(dims|specs)$/.test(f.name)),
    ),
    ...takes('range', args.has('offset') && args.has('transfer_size')),
  ]);
}

/** Structs that hold texts of the caller. */
const TEXTUAL = ['PJRT_Program', 'PJRT_NamedValue'];

/** Whether an input is a text of the caller, or leads to structs with some. */
const holdsText = ({ base, depth, count, content }: Field): boolean =>
  depth === 1 && (TEXTUAL.includes(base) || (base === 'char' && count !== undefined && content === 'text'));
