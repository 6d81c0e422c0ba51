/** Executions and reads that the plugin must refuse, and that change nothing; other calls are in wrong-calls.ts. */
import type { Move } from '../move.ts';
import { PROGRAMS, VECTOR } from '../programs.ts';
import { type BufferThing, type ExecutableThing, sameType, type Thing } from '../world.ts';
import { runnable, usable } from './executions.ts';

export const REFUSED = { must: 'any', usual: 'INVALID_ARGUMENT' };

const takesTwo = (thing: Thing): boolean =>
  runnable(thing) && PROGRAMS[(thing as ExecutableThing).program]!.takes.length === 2;
const takesOne = (thing: Thing): boolean =>
  runnable(thing) && PROGRAMS[(thing as ExecutableThing).program]!.takes.length === 1;
const isOn = (thing: Thing, executable: Thing): boolean =>
  (thing as BufferThing).device === (executable as ExecutableThing).device &&
  (thing as BufferThing).memory === undefined;
/** Whether a buffer is where the program runs, and of the type that it takes. */
const fits = (thing: Thing, executable: Thing): boolean =>
  isOn(thing, executable) &&
  sameType((thing as BufferThing).type, PROGRAMS[(executable as ExecutableThing).program]!.takes[0]!);
const onDeviceOf = (thing: Thing, { executable }: Readonly<Record<string, Thing>>): boolean =>
  isOn(thing, executable!) && sameType((thing as BufferThing).type, VECTOR);

export const REFUSED_MOVES: Readonly<Record<string, Move>> = {
  'too-few-arguments': {
    weight: 1,
    needs: { executable: takesTwo, a: (thing, chosen) => usable(thing) && onDeviceOf(thing, chosen) },
    play: ({ things }) => [
      {
        execute: { executable: `$${things.executable!.id}`, args: [`$${things.a!.id}`], checked: true, error: REFUSED },
        breaks: ['RUN-ERR-001'],
      },
    ],
  },
  'deleted-argument': {
    weight: 1,
    needs: {
      executable: takesOne,
      a: (thing, { executable }) => thing.kind === 'buffer' && thing.state === 'deleted' && fits(thing, executable!),
    },
    play: ({ things }) => [
      {
        execute: { executable: `$${things.executable!.id}`, args: [`$${things.a!.id}`], checked: true, error: REFUSED },
        breaks: ['RUN-ERR-004'],
      },
    ],
  },
  'deleted-executable': {
    weight: 1,
    needs: {
      executable: (thing) =>
        thing.kind === 'executable' && thing.state === 'deleted' && PROGRAMS[thing.program]!.takes.length === 1,
      a: (thing, { executable }) => usable(thing) && fits(thing, executable!),
    },
    play: ({ things }) => [
      {
        execute: { executable: `$${things.executable!.id}`, args: [`$${things.a!.id}`], checked: true, error: REFUSED },
        breaks: ['LEX-DEL-003'],
      },
    ],
  },
  'read-deleted': {
    weight: 1,
    needs: { buffer: (thing) => thing.kind === 'buffer' && thing.state === 'deleted' },
    play: ({ things }) => [{ get: { buffer: `$${things.buffer!.id}`, error: REFUSED }, breaks: ['BUF-DEL-006'] }],
  },
};
