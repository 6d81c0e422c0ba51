/** The attribute spaces of operations: which values each attribute has, and what the operation is for a choice of them. */
import type { HostArray } from '../numerics/array.ts';
import type { Compare, GeneratedData } from '../numerics/data.ts';

/** A tensor that a program takes or returns. */
export interface TensorType {
  dtype: string;
  shape: readonly number[];
}

/** An argument of a form, and what it holds. */
export interface Operand extends TensorType {
  data: GeneratedData;
}

/** One value for each attribute. */
export type Choice = Readonly<Record<string, string | number | boolean>>;

/** An operation with one choice of its attributes. */
export interface Form {
  operands: readonly Operand[];
  results: readonly TensorType[];
  /** Its text, for these names of operands and this name of its result or results. */
  text(names: readonly string[], result: string): string;
  /** What it gives. @throws OracleError if that is not exact */
  expected(operands: readonly HostArray[]): readonly HostArray[];
  compare: Compare;
  /** Whether two operands of one type may be the same value; they may, unless it says no. */
  shares?: boolean;
}

/** What one operation can be asked. */
export interface Space {
  /** The values of each attribute, the usual one first. */
  attributes: Readonly<Record<string, readonly (string | number | boolean)[]>>;
  /** Attributes whose values a kernel is chosen by together: all their combinations are met. */
  together?: readonly string[];
  /** @throws Illegal if the specification does not allow the choice, or leaves its result open */
  form(choice: Choice): Form;
}

/** A choice that is no form; the message says why. */
export class Illegal extends Error {
  override name = 'Illegal';
}

/** @throws Illegal */
export function legal(holds: boolean, why: string): asserts holds {
  if (!holds) throw new Illegal(why);
}

type Chosen<A extends Space['attributes']> = { readonly [K in keyof A]: A[K][number] };

/** A space whose forms know the types of their attributes. */
export const space = <const A extends Space['attributes']>(
  attributes: A,
  form: (choice: Chosen<A>) => Form,
  together: readonly (keyof A & string)[] = [],
): Space => ({ attributes, form: form as unknown as Space['form'], together });

/** `gather[shape=2x3 index=first]`: the attributes that are not usual. */
export function nameOf(op: string, { attributes }: Space, choice: Choice): string {
  const unusual = Object.entries(choice).filter(([name, value]) => value !== attributes[name]![0]);
  return `${op}[${unusual.map(([name, value]) => `${name}=${value}`).join(' ')}]`;
}
