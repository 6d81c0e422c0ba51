/** Errors that live for a while: whatever happens meanwhile, they stay what they are. */
import { gettersOf } from '../../../knowledge/abi/index.ts';
import type { Move } from '../move.ts';
import { type ErrorThing, type EventThing, isFailed } from '../world.ts';
import { again } from './answers.ts';
import { isOver } from './events.ts';

export const ERRORS: Readonly<Record<string, Move>> = {
  // The error of an event, which lives as long as its owner wants.
  'keep-error': {
    weight: 2,
    needs: { event: (thing) => isOver(thing) && isFailed((thing as EventThing).waits) },
    draw: (random) => ({ of: random.pick(['Error', 'Await']) }),
    distinguishes: ['of'],
    play: ({ world, id, things, settings }) => {
      world.things.set(id, { kind: 'error', id, state: 'live' });
      const getters = gettersOf('PJRT_Error').map((getter) => again(world, getter, id, id));
      return [
        {
          call: `PJRT_Event_${settings.of}`,
          with: { event: `$${things.event!.id}` },
          unread: id,
          precondition: 'the event ends in its error',
          breaks: ['EVT-ERR-003'],
        },
        ...getters,
      ];
    },
  },
  'destroy-error': {
    weight: 1,
    needs: { error: (thing) => thing.kind === 'error' && thing.state === 'live' },
    play: ({ things }) => {
      (things.error as ErrorThing).state = 'gone';
      return [{ destroy: `$${things.error!.id}`, breaks: ['ERR-GEN-002'] }];
    },
  },
};
