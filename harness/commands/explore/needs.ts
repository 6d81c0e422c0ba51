/** What a plugin must have for a move, whatever the move is. Pure. */
import type { Action } from './move.ts';
import { PROGRAMS } from './programs.ts';
import { USUAL_RANK } from './things.ts';
import type { ArrayType } from './world.ts';

type Settled = Pick<Action, 'settings'>;

/** Types of the arrays that a move needs. */
export function typesOf({ settings }: Settled): ArrayType[] {
  const { takes = [], gives = [] } = PROGRAMS[settings.program as string] ?? {};
  const own = Object.values(settings).filter((setting) => typeof setting === 'object');
  return [...own, ...takes, ...gives.map(({ type }) => type)];
}

/** What an array needs that a plugin may lack. */
const needsOfType = ({ dtype, shape }: ArrayType): string[] => [
  ...(dtype === 'f32' ? [] : [`arrays of ${dtype}`]),
  ...(shape.includes(0) ? ['arrays without elements'] : []),
  ...(shape.length > USUAL_RANK ? [`arrays of rank ${shape.length}`] : []),
];

/** What a move needs that a plugin may lack, and an array that needs nothing else. */
export function needsOf(action: Settled): Map<string, ArrayType> {
  const needs = new Map<string, ArrayType>();
  for (const type of typesOf(action)) {
    const [first, ...others] = needsOfType(type);
    if (first !== undefined && others.length === 0 && !needs.has(first)) needs.set(first, type);
  }
  return needs;
}
