/** Calls that the plugin must refuse, and that change nothing. */
import type { Move } from '../move.ts';
import { PROGRAMS, VECTOR } from '../programs.ts';
import { type BufferThing, type ExecutableThing, isLive, sameType, type Thing } from '../world.ts';
import { runnable, usable } from './executions.ts';

const REFUSED = { must: 'any', usual: 'INVALID_ARGUMENT' };

const takesTwo = (thing: Thing): boolean =>
  runnable(thing) && PROGRAMS[(thing as ExecutableThing).program]!.takes.length === 2;
const onDeviceOf = (thing: Thing, { executable }: Readonly<Record<string, Thing>>): boolean =>
  (thing as BufferThing).device === (executable as ExecutableThing).device &&
  (thing as BufferThing).memory === undefined &&
  sameType((thing as BufferThing).type, VECTOR);

export const REFUSED_MOVES: Readonly<Record<string, Move>> = {
  'too-few-arguments': {
    weight: 1,
    needs: { executable: takesTwo, a: (thing, chosen) => usable(thing) && onDeviceOf(thing, chosen) },
    play: ({ things }) => [
      {
        execute: { executable: `$${things.executable!.id}`, args: [`$${things.a!.id}`], error: REFUSED },
        breaks: ['RUN-ERR-001'],
      },
    ],
  },
  'deleted-argument': {
    weight: 1,
    needs: {
      executable: (thing) => runnable(thing) && thing.program === 'args/two',
      a: (thing, chosen) => usable(thing) && onDeviceOf(thing, chosen),
      b: (thing, chosen) => thing.kind === 'buffer' && thing.state === 'deleted' && onDeviceOf(thing, chosen),
    },
    play: ({ things }) => [
      {
        execute: {
          executable: `$${things.executable!.id}`,
          args: [`$${things.a!.id}`, `$${things.b!.id}`],
          error: REFUSED,
        },
        breaks: ['RUN-ERR-004'],
      },
    ],
  },
  'reference-too-many': {
    weight: 1,
    needs: { buffer: (thing) => isLive(thing) && thing.references === 0 },
    play: ({ things }) => [
      {
        call: 'PJRT_Buffer_DecreaseExternalReferenceCount',
        with: { buffer: `$${things.buffer!.id}` },
        error: REFUSED,
        breaks: ['BUF-REF-002'],
      },
    ],
  },
};
