/** Executions and reads that the plugin must refuse, or that must fail, and that change nothing; other calls are in wrong-calls.ts. */
import type { RawStep } from '../../../suite/raw.ts';
import type { Move } from '../move.ts';
import { PROGRAMS, VECTOR } from '../programs.ts';
import { type BufferThing, type ExecutableThing, isLost, lossOf, sameType, type Thing } from '../world.ts';
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
const fits = (thing: Thing, executable: Thing, argument = 0): boolean =>
  isOn(thing, executable) &&
  sameType((thing as BufferThing).type, PROGRAMS[(executable as ExecutableThing).program]!.takes[argument]!);
/** Whether nothing is to come any more. */
const isGiven = (thing: Thing): boolean => usable(thing) || isLost(thing);
const onDeviceOf = (thing: Thing, { executable }: Readonly<Record<string, Thing>>): boolean =>
  isOn(thing, executable!) && sameType((thing as BufferThing).type, VECTOR);

/** An execution that cannot succeed, and takes nothing. */
function failing(executable: Thing, args: readonly BufferThing[], says: { message?: string }): RawStep {
  const { donates } = PROGRAMS[(executable as ExecutableThing).program]!;
  return {
    execute: {
      executable: `$${executable.id}`,
      args: args.map(({ id }) => `$${id}`),
      ...(donates.length > 0 ? { nonDonatable: [...donates] } : {}),
      error: { must: 'any', ...says },
    },
    breaks: [says.message === undefined ? 'RUN-EVT-004' : 'BUF-ERRB-003'],
  };
}

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
  'too-many-arguments': {
    weight: 1,
    needs: {
      executable: (thing) => takesOne(thing) && PROGRAMS[(thing as ExecutableThing).program]!.donates.length === 0,
      a: (thing, { executable }) => usable(thing) && fits(thing, executable!),
    },
    play: ({ things }) => {
      const [executable, a] = [`$${things.executable!.id}`, `$${things.a!.id}`];
      return [{ execute: { executable, args: [a, a], checked: true, error: REFUSED }, breaks: ['RUN-ERR-001'] }];
    },
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
  // In the call, or when it is waited for.
  'lost-argument': {
    weight: 2,
    needs: { executable: takesOne, a: (thing, { executable }) => isLost(thing) && fits(thing, executable!) },
    play: ({ things }) => {
      const a = things.a as BufferThing;
      const [own] = a.waits.filter(({ via }) => a.waits.length === 1 && via === 'error');
      return [failing(things.executable!, [a], own ? { message: lossOf(own) } : {})];
    },
  },
  'lost-among-arguments': {
    weight: 2,
    needs: {
      // What nothing is computed from may be lost.
      executable: (thing) => takesTwo(thing) && (thing as ExecutableThing).program !== 'args/unused',
      a: (thing, { executable }) => isGiven(thing) && fits(thing, executable!),
      b: (thing, { executable, a }) => isGiven(thing) && fits(thing, executable!, 1) && (isLost(thing) || isLost(a!)),
    },
    play: ({ things }) => [failing(things.executable!, [things.a, things.b] as BufferThing[], {})],
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
