import type { Scalar } from '../../knowledge/numerics/data.ts';
import type { Fact } from './facts.ts';
import type { Attributes, Node, Region, TensorType } from './ir.ts';
import type { Random } from './random.ts';

/** A value of a program under construction. */
export interface Known {
  type: TensorType;
  fact: Fact;
}

/** Which errors valid plugins may make. */
export type Profile = 'strict' | 'standard' | 'relaxed';

/** What the draft of an operation chooses from. */
export interface Draft {
  random: Random;
  dtypes: readonly string[];
  /** The number of a value, the newer the likelier. @throws Invalid if none qualifies */
  find(qualifies: (value: Known) => boolean): number;
  known(value: number): Known;
  /** The number of a value of a type: one that exists, or a new argument or constant. */
  make(type: TensorType): number;
  /** The number of a new argument or constant with these values. */
  makeOf(type: TensorType, of: readonly Scalar[]): number;
  /** The number of a new argument with exactly these values. @throws Invalid where there are no arguments */
  argumentOf(type: TensorType, of: readonly Scalar[]): number;
  /** A random shape. */
  shape(): number[];
  /** A region with one result for each of these types, or one of any type; undefined if there are regions enough. */
  region(parameters: readonly Known[], results?: readonly TensorType[]): Region | undefined;
}

/** The part of a node that a draft decides. */
interface Drafted<A extends Attributes> extends Pick<Node, 'operands' | 'regions'> {
  attributes?: A;
}

/** A node with the attributes of its operation. */
export type NodeOf<A extends Attributes> = Node & { attributes: A };

/** What the results of a region are, if its parameters are as they are given, or no more is known than their types. */
type Inner = (region: Region, parameters?: readonly Known[]) => readonly Known[];

/** What printing an operation may use. */
export interface Printing {
  /** The names and types of the operands. */
  operands: readonly string[];
  types: readonly TensorType[];
  result: TensorType;
  /** The name of the result. */
  name: string;
  /** A name that nothing else has. */
  fresh(): string;
  /** The lines of a region whose parameters have these names, and the names of its results. */
  region(region: Region, parameters: readonly string[]): { lines: string[]; results: string[] };
  /** A function with the contents of a region. */
  func(region: Region): string;
}

/** One kind of operation: everything that the generator, the printer and the shrinker know of it. */
export interface Rule<A extends Attributes = Attributes> {
  /** How often it is chosen. */
  weight: number;
  /** Whether its arguments must keep their values, such as indices that it says are unique. */
  fixed?: boolean;
  /** Operands and attributes for another operation, which need not be valid. @throws Invalid if there are none */
  draft(draft: Draft): Drafted<A>;
  /** @throws Invalid */
  type(operands: readonly TensorType[], node: NodeOf<A>, inner: Inner): TensorType;
  /** Default: that of the first operand. @throws Invalid */
  fact?(operands: readonly Known[], node: NodeOf<A>, result: TensorType, profile: Profile, inner: Inner): Fact;
  /** The name by which the result is used, if that is not the name of the operation. */
  reference?(name: string, node: NodeOf<A>): string;
  /** Default: the generic form, with these properties. */
  print?(printing: Printing, node: NodeOf<A>): string[];
  properties?(node: NodeOf<A>, printing: Printing): string[];
  /** Attributes that make it a simpler operation. */
  simpler?(node: NodeOf<A>): Attributes[];
}
