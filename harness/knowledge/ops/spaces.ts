import { CONTRACTION } from './contraction.ts';
import { CONTROL } from './control.ts';
import { ELEMENTWISE } from './elementwise.ts';
import { INDEXING } from './indexing.ts';
import { MOVEMENT } from './movement.ts';
import { REDUCTION } from './reduction.ts';
import { sourced } from './sourced.ts';
import type { Space } from './space.ts';

const OWN: Readonly<Record<string, Space>> = {
  ...ELEMENTWISE,
  ...MOVEMENT,
  ...INDEXING,
  ...REDUCTION,
  ...CONTRACTION,
  ...CONTROL,
};

/** The attribute space of every operation that has one, by its name in StableHLO. */
export const SPACES: Readonly<Record<string, Space>> = Object.fromEntries(
  Object.entries(OWN).map(([op, space]) => [op, sourced(space)]),
);
