/** Exact reference operations by name; an inexact result is an OracleError, never rounded. */
import { CONTRACTION } from './oracles/contraction.ts';
import { ELEMENTWISE } from './oracles/elementwise.ts';
import { INDEXING } from './oracles/indexing.ts';
import { MOVEMENT } from './oracles/movement.ts';
import type { Oracle } from './oracles/parameters.ts';
import { REDUCTION } from './oracles/reduction.ts';

const elementwise = new Set(ELEMENTWISE.map(([name]) => name));

/** Whether each element of the result depends on the elements at its place alone. */
export const isElementwise = (op: string): boolean => elementwise.has(op);

/** Operation name to its exact reference. */
export const ORACLES: Record<string, Oracle> = Object.fromEntries([
  ...ELEMENTWISE,
  ...MOVEMENT,
  ...CONTRACTION,
  ...REDUCTION,
  ...INDEXING,
]);
