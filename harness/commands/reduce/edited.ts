/** A program as what is left of it is chosen from: operations, and the values between them. */

import { DTYPES, type DType } from '../../knowledge/numerics/dtypes.ts';
import { elementType } from '../../knowledge/programs/element-type.ts';

/** An operation of `main`. */
interface Op {
  name: string;
  /** Values that it takes, those that its regions take included. */
  operands: readonly number[];
  results: readonly number[];
  /** Operations that it consists of, those of its regions included. */
  size: number;
  regions: number;
}

/** What a value is; an array of fixed size has a shape and an element type, in MLIR's spelling. */
export interface Value {
  mlir: string;
  shape?: readonly number[];
  element?: string;
}

/** The function `main`. Values are its parameters, then the results of its operations in order. */
export interface Edited {
  parameters: number;
  results: readonly number[];
  values: readonly Value[];
  ops: readonly Op[];
}

/** Operations that are left, and which values are its parameters and results. */
export interface Cut {
  keep: readonly number[];
  parameters: readonly number[];
  results: readonly number[];
}

/** The element type of a value that can be a parameter or a result; undefined for tokens and the like. */
export const typeOf = ({ element, shape }: Value): DType | undefined =>
  element === undefined || shape === undefined ? undefined : DTYPES.find(({ name }) => name === elementType(element));

/** Operations that it consists of, without the ends of regions. */
export const sizeOf = ({ ops }: Pick<Edited, 'ops'>): number => ops.reduce((n, { size }) => n + size, 0);

/** Which operation makes each value; parameters are made by none. */
export function makersOf({ ops }: Edited): ReadonlyMap<number, number> {
  return new Map(ops.flatMap(({ results }, i) => results.map((value) => [value, i] as const)));
}

/** Operations, and all that make what they need. @param stop values that can be had otherwise */
export function withMakers(
  program: Edited,
  ops: readonly number[],
  stop: (value: number) => boolean = () => false,
): number[] {
  const makers = makersOf(program);
  const all = new Set(ops);
  for (const op of all)
    for (const value of program.ops[op]!.operands) {
      const maker = makers.get(value);
      if (maker !== undefined && !stop(value)) all.add(maker);
    }
  return [...all].sort((a, b) => a - b);
}

/** Operations, and the makers of what they need and no array can hold. */
export const closed = (program: Edited, ops: readonly number[]): number[] =>
  withMakers(program, ops, (value) => typeOf(program.values[value]!) !== undefined);

/**
 * The program of these operations alone: what they take from others are its parameters; what none of them takes, and what
 * the whole program returned, are its results. Undefined if no result is left that an array can hold.
 */
export function cutOf(program: Edited, ops: readonly number[]): Cut | undefined {
  const keep = closed(program, ops);
  const made = new Set(keep.flatMap((op) => program.ops[op]!.results));
  const used = new Set(keep.flatMap((op) => program.ops[op]!.operands));
  const returned = new Set(program.results);
  const results = [...made]
    .filter((value) => (!used.has(value) || returned.has(value)) && typeOf(program.values[value]!) !== undefined)
    .sort((a, b) => a - b);
  if (results.length === 0) return undefined;
  return { keep, parameters: [...used].filter((value) => !made.has(value)).sort((a, b) => a - b), results };
}

/** Elements of all values of these operations. */
export const elementsOf = (program: Edited, ops: readonly number[]): number =>
  ops
    .flatMap((op) => [...program.ops[op]!.operands, ...program.ops[op]!.results])
    .reduce((n, value) => n + (program.values[value]!.shape ?? []).reduce((a, b) => a * b, 1), 0);
