import { expect, test } from 'vitest';
import { Abi, NEWEST_MINOR } from '../knowledge/abi/index.ts';
import type { PluginFacts } from '../model/plugin-facts.ts';
import { abilities, abilityOf } from './abilities.ts';

const facts = (minor: number, more: Partial<PluginFacts> = {}): PluginFacts => ({
  name: 'p',
  path: '/p.so',
  sha256: '',
  sizeBytes: 1,
  apiVersion: { major: 0, minor },
  tableBytes: Abi.at(minor).tableBytes,
  functions: { inTable: Abi.at(minor).functions.length, known: 0, nullSlots: [] },
  ...more,
});

test.each([
  [['UNIMPLEMENTED', 'OK'], 'works'],
  [['UNIMPLEMENTED'], 'unimplemented'],
  [['UNIMPLEMENTED', 'INTERNAL'], 'fails'],
  [['INVALID_ARGUMENT', 'DEATH'], 'dies'],
  [['HANG'], 'hangs'],
  [['DEATH', 'OK'], 'unstable'],
  [['OK', 'INTERNAL', 'HANG'], 'unstable'],
  [[], 'untried'],
] as const)('%j: %s', (answers, ability) => expect(abilityOf(answers)).toBe(ability));

test('nothing is known about a plugin older than all tables', () => {
  expect(abilities({ ...facts(81), apiVersion: { major: 0, minor: -5 } }).size).toBe(0);
});

test('newer functions are absent, NULL is null, the rest depends on the answers', () => {
  const matrix = abilities(
    facts(81, {
      functions: { inTable: 118, known: 117, nullSlots: ['PJRT_Client_DmaMap'] },
      answers: { PJRT_Client_Create: ['OK'], PJRT_Event_Create: ['OK'] },
    }),
  );
  expect(matrix.size).toBe(Abi.at(NEWEST_MINOR).functions.length);
  expect(matrix.get('PJRT_Client_Create')).toBe('works');
  expect(matrix.get('PJRT_Client_DmaMap')).toBe('null');
  expect(matrix.get('PJRT_Event_Create')).toBe('absent');
  expect(matrix.get('PJRT_Buffer_Destroy')).toBe('untried');
});

test('a table shorter than its version', () => {
  const matrix = abilities(facts(81, { functions: { inTable: 100, known: 100, nullSlots: [] } }));
  expect([...matrix.values()].filter((a) => a === 'untried')).toHaveLength(100);
});

test('nothing is known about a plugin that could not be loaded', () => {
  const { apiVersion: _, ...unloaded } = facts(81);
  expect(abilities(unloaded).size).toBe(0);
});
