/** Errors that live for a while: whatever happens meanwhile, they stay what they are. */
import type { Move } from '../move.ts';
import { type ErrorThing, isLive, isReady, type Thing } from '../world.ts';

/** A wrong call: what it needs, and how it is made. */
interface Wrong {
  needs?: (thing: Thing) => boolean;
  call: string;
  with: (thing: string) => Record<string, unknown>;
}

const WRONG: Readonly<Record<string, Wrong>> = {
  'unknown device': {
    call: 'PJRT_Client_LookupDevice',
    with: () => ({ client: '$client', id: 2_000_000_000 }),
  },
  'reference too many': {
    needs: (thing) => isLive(thing) && thing.references === 0,
    call: 'PJRT_Buffer_DecreaseExternalReferenceCount',
    with: (buffer) => ({ buffer }),
  },
  'smaller destination': {
    needs: (thing) => isReady(thing) && thing.contents !== undefined && !thing.type.shape.includes(0),
    call: 'PJRT_Buffer_ToHostBuffer',
    with: (src) => ({ src, dst: { room: 1 }, dst_size: 0 }),
  },
  'deleted buffer': {
    needs: (thing) => thing.kind === 'buffer' && thing.state === 'deleted',
    call: 'PJRT_Buffer_UnsafePointer',
    with: (buffer) => ({ buffer }),
  },
};

const keeping = ([name, { needs, call, with: given }]: [string, Wrong]): [string, Move] => [
  `keep error of ${name}`,
  {
    weight: 0.5,
    ...(needs ? { needs: { thing: needs } } : {}),
    play: ({ world, id, things }) => {
      world.things.set(id, { kind: 'error', id, state: 'live' });
      const precondition = `this is refused: ${name}`;
      return [{ call, with: given(`$${things.thing?.id}`), unread: id, precondition }];
    },
  },
];

export const ERRORS: Readonly<Record<string, Move>> = {
  ...Object.fromEntries(Object.entries(WRONG).map(keeping)),
  'destroy-error': {
    weight: 1,
    needs: { error: (thing) => thing.kind === 'error' && thing.state === 'live' },
    play: ({ things }) => {
      (things.error as ErrorThing).state = 'gone';
      return [{ destroy: `$${things.error!.id}`, breaks: ['ERR-GEN-002'] }];
    },
  },
};
