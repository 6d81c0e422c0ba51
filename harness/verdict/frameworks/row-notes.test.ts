import { expect, test } from 'vitest';
import { formatMarkdown, formatTable, type Row } from './format.ts';
import type { Prediction } from './prediction.ts';
import { RowNotes } from './row-notes.ts';
import { parseRelease } from './spec.ts';

const prediction = (more: Partial<Prediction>): Prediction => ({
  outcome: 'works',
  reason: 'nothing that it needs is missing',
  limits: [],
  limitFacts: [],
  facts: [],
  untried: [],
  ...more,
});
const limited = (...limits: string[]): Prediction => prediction({ outcome: 'limits', reason: limits[0]!, limits });
const refused = (message: string): Prediction =>
  prediction({ outcome: 'refuses', moment: 'client creation', reason: 'PJRT_Client_Create returns INTERNAL', message });

const row = (release: string, of: Prediction): Row => ({
  ...parseRelease(release),
  prediction: of,
  window: { standing: 'inside', text: '' },
  platform: { withheld: [] },
});

/** Oldest first, as in a run. */
const rows = [
  row('jax@0.8.0', refused('wrong size:\n  24')),
  row('jax@0.8.1', limited('no pinned memory', 'no fingerprint')),
  row('jax@0.9.0', limited('no literals', 'no pinned memory')),
  row('jax@0.10.2', limited('no literals')),
];

test('each limit and each message is below the table once, and the rows refer to it', () => {
  const text = formatTable(rows);
  expect(text.match(/no literals/g)).toHaveLength(1);
  const lines = text.split('\n');
  expect(lines.filter((line) => line.startsWith('JAX')).map((line) => line.split(/ {2,}/).at(-1))).toEqual([
    '1 limit: 1',
    '2 limits: 1, 2',
    '2 limits: 2, 3',
    'PJRT_Client_Create returns INTERNAL (a)',
  ]);
  const at = lines.indexOf('Limits:');
  expect(lines.slice(at, at + 7)).toEqual([
    'Limits:',
    '  1  no literals',
    '  2  no pinned memory',
    '  3  no fingerprint',
    '',
    'What the user sees:',
    '  a  wrong size: 24',
  ]);
});

test('the headline counts what works, and says what happens with the newest of each framework', () => {
  const [first, second] = formatTable(rows).split('\n');
  expect(first).toBe('3 of 4 releases work with this plugin (3 of them with limits).');
  expect(second).toBe('Newest: JAX 0.10.2 works with limits.');
  const one = formatMarkdown([row('jax@0.10.2', prediction({}))]);
  expect(one).toMatch(/^1 of 1 release works with this plugin\.\nNewest: JAX 0\.10\.2 works\.\n\n\| Release/);
});

test('every word of the column window has its meaning below', () => {
  const text = formatTable(rows.map((one) => ({ ...one, window: { ...one.window, weeks: 12 } })));
  expect(text).toMatch(/\nwindow: JAX promises .* inside: .* outside: .* newer: .* -: /);
  expect(text).toContain('\nAPI: ');
});

test('so it is in a document', () => {
  const text = formatMarkdown(rows);
  expect(text).toContain('| works with limits | 2 limits: 1, 2 |');
  expect(text).toContain('\nLimits:\n\n- 1: no literals\n- 2: no pinned memory\n- 3: no fingerprint\n');
  expect(text).toContain('\nWhat the user sees:\n\n- a: wrong size: 24\n');
});

test('without limits and messages nothing is below', () => {
  expect(formatTable([row('jax@0.10.2', prediction({}))])).not.toMatch(/Limits:|What the user sees/);
});

test('more messages than letters', () => {
  const all = Array.from({ length: 28 }, (_, i) => refused(`message ${i}`));
  const notes = new RowNotes(all);
  expect(notes.sections()[0]!.notes.at(-1)).toEqual(['ab', 'message 27']);
  expect(notes.why(all[25]!)).toMatch(/\(z\)$/);
});
