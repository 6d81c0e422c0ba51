import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allCaseIds } from '../files/expectations.ts';
import { suiteEvents } from '../plan/plan-events.ts';
import { type SelectionOptions, selectedAgain, selectedCases } from './selection.ts';

const SUITE = `suite: own
description: A suite of the user.
cases:
  - id: a
    description: Attributes can be read.
    covers: [PLG-ATT-001]
    client: none
    steps:
      - call: PJRT_Plugin_Attributes
`;

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'pjrt-selection-'));
  mkdirSync(join(cwd, 'mine'));
  writeFileSync(join(cwd, 'mine', 'own.yaml'), SUITE);
  writeFileSync(join(cwd, 'ids.txt'), 'own:a\n');
  writeFileSync(join(cwd, 'other.txt'), 'own:b\n');
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const options = { suites: ['mine'], suite: ['own'] };

test.each(['mine', 'mine/own.yaml'])('paths are relative to the directory of the command: %s', async (path) => {
  const { cases, suites } = await selectedCases({ ...options, suites: [path], testsFrom: 'ids.txt' }, cwd);
  expect(cases.map(({ id }) => id)).toEqual(['own:a']);
  expect([...suiteEvents(suites, cases, cwd, () => false)].map(({ file }) => file)).toEqual(['mine/own.yaml']);
});

test('the ids that expectations may name are those of the same suites', async () => {
  expect(await allCaseIds(options, cwd)).toContain('own:a');
});

test('messages have the paths as given', async () => {
  await expect(selectedCases({ ...options, suites: ['absent'] }, cwd)).rejects.toThrow(/^absent: cannot be read/);
  await expect(selectedCases({ ...options, testsFrom: 'absent' }, cwd)).rejects.toThrow(/^--tests-from absent: cannot/);
  await expect(selectedCases({ ...options, testsFrom: 'other.txt' }, cwd)).rejects.toThrow(
    /^--tests-from other\.txt:1/,
  );
});

test('cases of a profile of their own run with it, or if they are named and no profile is', async () => {
  const models = async (more: SelectionOptions): Promise<number> =>
    (await selectedCases(more, cwd)).cases.filter(({ id }) => id.startsWith('models/')).length;
  const all = await models({ profile: 'models' });
  expect(all).toBeGreaterThan(10);
  expect((await selectedCases({ profile: 'models' }, cwd)).cases).toHaveLength(all);
  expect(await models({})).toBe(0);
  expect(await models({ profile: 'standard' })).toBe(0);
  expect(await models({ tests: ['models/*'] })).toBe(all);
  expect(await models({ suite: ['models'] })).toBe(all);
  await expect(models({ profile: 'full', suite: ['models'] })).rejects.toThrow(/no case is selected/);
  const planned = new Map([['models/random:bits', 1]]);
  expect((await selectedAgain({}, planned, cwd)).cases.map(({ id }) => id)).toEqual(['models/random:bits']);
});

test('a selection knows of how many cases it is a part; a whole profile is none', async () => {
  const part = async (more: SelectionOptions) => (await selectedCases(more, cwd)).selection;
  const whole = (await selectedCases({}, cwd)).cases.length;
  expect(await part({})).toBeUndefined();
  expect(await part({ profile: 'smoke' })).toBeUndefined();
  expect(await part({ profile: 'models' })).toBeUndefined();
  expect(await part({ suites: ['mine'] })).toBeUndefined();
  expect(await part(options)).toEqual({ cases: 1, of: whole + 1 });
  expect(await part({ tests: ['load/table:*'] })).toMatchObject({ of: whole });
  expect((await part({ exclude: ['load/table:*'] }))!.cases).toBeLessThan(whole);
  // A shard has some of the selected cases.
  expect(await part({ shard: '1/2' })).toBeUndefined();
  // Cases that only their name selects come on top of the profile's.
  expect((await part({ tests: ['models/*'] }))!.of).toBeGreaterThan(whole);
});
