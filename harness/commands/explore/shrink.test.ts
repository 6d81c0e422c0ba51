import { expect, test } from 'vitest';
import type { Action } from './move.ts';
import { shrink } from './shrink.ts';

const action = (move: string, id: string, things: Action['things'] = {}): Action => ({
  move,
  id,
  things,
  settings: {},
});

/** Leaves out what uses a thing that nobody makes. */
const possible = (actions: readonly Action[]): readonly Action[] =>
  actions.filter((one) => Object.values(one.things).every((name) => actions.some(({ id }) => name.startsWith(id))));

const plainer = ({ move, id }: Action): Action | undefined => (move === 'withhold' ? action('send', id) : undefined);

const LONG = [
  action('send', 'm1'),
  action('withhold', 'm2'),
  action('give', 'm3', { gate: 'm2_gate' }),
  action('compile', 'm4'),
  action('run', 'm5', { buffer: 'm2', executable: 'm4' }),
  action('delete', 'm6', { buffer: 'm1' }),
  action('read', 'm7', { buffer: 'm5_0' }),
];

const shrunk = async (fails: (moves: string[]) => boolean) =>
  (await shrink(LONG, possible, plainer, async (all) => all.map((one) => fails(one.map(({ move }) => move))))).map(
    ({ move }) => move,
  );

test('what makes no difference is left out, and what makes its things is kept', async () => {
  expect(await shrunk((moves) => moves.includes('run'))).toEqual(['send', 'compile', 'run']);
  expect(await shrunk((moves) => moves.includes('delete'))).toEqual(['send', 'delete']);
});

test('a move stays as it is where its plain form does not fail', async () => {
  const fails = (moves: string[]): boolean => ['withhold', 'give', 'run'].every((move) => moves.includes(move));
  expect(await shrunk(fails)).toEqual(['withhold', 'give', 'compile', 'run']);
});
