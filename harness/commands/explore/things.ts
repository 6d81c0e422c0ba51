/** What moves make. */
import type { Data } from '../../knowledge/numerics/data.ts';
import type { RawStep } from '../../suite/raw.ts';
import type { ArrayType, BufferThing, World } from './world.ts';

/** The name of what a buffer holds that was made with contents of its own. */
export const contentsOf = (id: string): string => `${id}_is`;

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
