/** Errors that live for a while: whatever happens meanwhile, they stay what they are. */
import type { Move } from '../move.ts';
import type { ErrorThing } from '../world.ts';

export const ERRORS: Readonly<Record<string, Move>> = {
  'destroy-error': {
    weight: 1,
    needs: { error: (thing) => thing.kind === 'error' && thing.state === 'live' },
    play: ({ things }) => {
      (things.error as ErrorThing).state = 'gone';
      return [{ destroy: `$${things.error!.id}`, breaks: ['ERR-GEN-002'] }];
    },
  },
};
