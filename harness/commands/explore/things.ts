/** What moves make. */
import type { Data } from '../../knowledge/numerics/data.ts';
import type { RawStep } from '../../suite/raw.ts';
import type { ArrayType, BufferThing, World } from './world.ts';

/** Of messages; the least is what one says. */
export const LENGTHS = [0, 31, 256, 4095];

/** The name of what a buffer holds that was made with contents of its own. */
export const contentsOf = (id: string): string => `${id}_is`;

/** Ranks that every function takes that a plugin has. */
export const USUAL_RANK = 4;

const isUnusual = ({ shape }: ArrayType): boolean => shape.length > USUAL_RANK;

/** What it violates to refuse an array: if that is of an unusual rank, only that others of this rank are not refused. */
export const refusing = (type: ArrayType, requirement: string): string =>
  isUnusual(type) ? 'BUF-RANK-001' : requirement;

/** What a transfer may refuse of an array. */
export const refusable = (type: ArrayType): { refusable?: string } =>
  isUnusual(type) ? { refusable: `arrays of rank ${type.shape.length}` } : {};

/** Where a plugin refuses arrays of the rank altogether, it may so here. */
export const rankTaken = (id: string, type: ArrayType): RawStep[] =>
  isUnusual(type)
    ? [
        {
          put: { as: `${id}_plain`, data: { fill: { dtype: type.dtype, shape: [...type.shape], value: 1 } } },
          ...refusable(type),
        },
      ]
    : [];

export const elements = ({ shape }: ArrayType): number => shape.reduce((n, d) => n * d, 1);

/** A step that binds data. */
export function asData(world: World, as: string, data: Data): RawStep {
  world.data.add(as);
  return { data: { as, data } };
}

/** Adds a buffer to the world. */
export function bufferOf(
  world: World,
  id: string,
  what: { type: ArrayType; contents: string | undefined } & Partial<BufferThing>,
): BufferThing {
  const buffer: BufferThing = {
    kind: 'buffer',
    id,
    device: 0,
    memory: undefined,
    state: 'live',
    waits: [],
    readers: [],
    references: 0,
    host: undefined,
    ...what,
  };
  world.things.set(id, buffer);
  return buffer;
}
