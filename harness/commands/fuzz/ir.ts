/** Programs as plain data: a list of operations in static single assignment, each with one result. */
import type { Scalar } from '../../knowledge/numerics/data.ts';

export interface TensorType {
  dtype: string;
  shape: readonly number[];
}

/** What an operation needs besides its operands. Plain data, so that programs can be written to files and changed by rule. */
export type Attributes = Readonly<Record<string, Attribute>>;
type Attribute = string | number | boolean | readonly (string | number | readonly number[])[];

export type List = readonly number[];

/** One operation. Values are numbered: the parameters of the region first, then the nodes in order. */
export interface Node {
  op: string;
  operands: readonly number[];
  attributes: Attributes;
  regions?: readonly Region[];
}

/** Operations on parameters, and the values that they return. */
export interface Region {
  parameters: readonly TensorType[];
  nodes: readonly Node[];
  results: readonly number[];
}

/** The contents of an argument or a constant: the given values, then values drawn from them by position and seed. */
export interface Contents {
  of: readonly Scalar[];
  seed: number;
}

/** A program with its arguments. */
export interface Program extends Region {
  arguments: readonly Contents[];
}

export const sizeOf = ({ shape }: TensorType): number => shape.reduce((n, d) => n * d, 1);

export const sameShape = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((d, i) => d === b[i]);

export const sameType = (a: TensorType, b: TensorType): boolean => a.dtype === b.dtype && sameShape(a.shape, b.shape);

/** Number of operations, those of regions included. */
export const countOps = ({ nodes }: Region): number =>
  nodes.reduce((n, node) => n + 1 + (node.regions ?? []).reduce((m, r) => m + countOps(r), 0), 0);

/** All names of operations in a program, those of regions included. */
export const opsOf = ({ nodes }: Region): string[] =>
  nodes.flatMap((node) => [node.op, ...(node.regions ?? []).flatMap(opsOf)]);

/** An operation that is not valid: of operands, attributes or values that it does not take. */
export class Invalid extends Error {
  override name = 'Invalid';
}

/** @throws Invalid */
export function need(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Invalid(what);
}

/** @throws Invalid */
export function needAll<T>(list: readonly T[], holds: (one: T, at: number) => boolean, what: string): void {
  need(list.every(holds), what);
}
