import { expect, test } from 'vitest';
import { loadSets, readSuite } from '../../suite/load.ts';
import { loadRequirements } from '../../suite/requirements.ts';
import { asCase, suiteText } from './as-case.ts';
import { Coverage } from './coverage.ts';
import { sendingPlainly } from './moves/transfers.ts';
import { MOVES } from './moves.ts';
import { drawSession, type Play, playAgain, type Session } from './session.ts';

const DEVICES = 3;

function sessions(count: number, how: Partial<Play> = {}): Session[] {
  const coverage = new Coverage();
  return Array.from({ length: count }, (_, n) =>
    drawSession({ seed: `1/${n}`, devices: DEVICES, moves: 30, coverage, avoided: new Set(), ...how }),
  );
}

test('the same seed gives the same session', () => {
  expect(sessions(5)).toEqual(sessions(5));
});

test('written moves, played again, are the same session', () => {
  for (const session of [...sessions(10), ...sessions(4, { threads: 3 })]) {
    expect(playAgain(session.seed, session.devices, session.actions)).toEqual(session);
  }
});

test('every part of a session is one that the language allows', () => {
  const parts = [...sessions(4), ...sessions(2, { threads: 2 })].flatMap((session) =>
    [3, 10, 15].map((from) => playAgain(session.seed, DEVICES, session.actions.slice(from))),
  );
  const text = suiteText(
    'parts',
    'Parts of sessions.',
    parts.map((session, i) => ({ id: `part-${i}`, about: 'A part of a session.', session })),
  );
  const requirements = loadRequirements();
  const source = { file: 'parts.yaml', requirements, sets: loadSets(), vocabulary: {} };
  const { suite, problems } = readSuite(text, source);
  expect(problems).toEqual([]);
  const withoutPlaces = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value, (key, one) => (['file', 'line', 'title', 'deadline'].includes(key) ? undefined : one)),
    );
  expect(withoutPlaces(suite!.cases)).toEqual(
    withoutPlaces(parts.map((session, i) => asCase('parts', `part-${i}`, session, requirements))),
  );
}, 60_000);

test('every kind of move is played, and none that is to be avoided', () => {
  const played = new Set(sessions(400, { devices: 2 }).flatMap(({ actions }) => actions.map(({ move }) => move)));
  expect([...played].sort()).toEqual(Object.keys(MOVES).sort());
  const avoided = new Set(['fail', 'delete-executable']);
  const rest = sessions(20, { avoided }).flatMap(({ actions }) => actions.map(({ move }) => move));
  expect(rest.filter((move) => avoided.has(move))).toEqual([]);
}, 60_000);

test('what is computed from the results of a loaded executable fails as that does', () => {
  const run = (id: string, executable: string, a: string) => ({
    ...{ move: 'run misc/add_one', id, things: { executable, a }, settings: { events: false } },
  });
  const { turns } = playAgain('1/0', 1, [
    { move: 'compile', id: 'm1', things: {}, settings: { program: 'misc/add_one', device: 0 } },
    { move: 'store', id: 'm2', things: { executable: 'm1' }, settings: {} },
    { move: 'send', id: 'm3', things: {}, settings: sendingPlainly({ dtype: 'f32', shape: [4] }).settings },
    run('m4', 'm1', 'm3'),
    run('m5', 'm2', 'm3'),
    run('m6', 'm1', 'm5_0'),
  ]);
  const steps = turns.flatMap((turn) => turn.steps);
  const violated = steps.flatMap((step) =>
    'execute' in step ? [[(step.execute as { as: string[] }).as[0], ...(step.breaks as string[])]] : [],
  );
  expect(violated).toEqual([
    ['m4_0', 'RUN-BAS-001'],
    ['m5_0', 'SER-EXE-002'],
    ['m6_0', 'SER-EXE-002'],
  ]);
});
