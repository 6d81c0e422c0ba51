import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { packagePath } from '../../harness/base/paths.ts';
import { loadAllSuites } from '../../harness/run/suites/load-suites.ts';
import { changedCases, suitesVersion } from '../../harness/verdict/mustpass/check-definitions.ts';
import {
  mustpassFile,
  mustpassList,
  parseIds,
  parseTable,
  sha256Of,
  TABLE,
} from '../../harness/verdict/mustpass/list.ts';
import { mustpassReleases } from '../../harness/verdict/mustpass/release.ts';
import { isListed } from './choose.ts';

const cases = (await loadAllSuites()).flatMap((suite) => suite.cases);
const releases = mustpassReleases();
const textOf = (version: string, name: string): string => readFileSync(mustpassFile(version, name), 'utf8');

test('every directory of mustpass/ is a list, and the lists are in order', () => {
  const directories = readdirSync(packagePath('mustpass'), { withFileTypes: true }).filter((one) => one.isDirectory());
  expect(directories.map(({ name }) => name).sort()).toEqual(releases.map(({ version }) => version).sort());
  const days = releases.map(({ frozen }) => frozen);
  expect(days).toEqual(days.toSorted());
});

test('only the newest list has no last day', () => {
  expect(releases.slice(0, -1).filter(({ acceptedUntil }) => acceptedUntil === undefined)).toEqual([]);
  expect(releases.at(-1)!.acceptedUntil).toBeUndefined();
});

describe.each(releases.map((release) => [release.version, release] as const))('mustpass %s', (version, release) => {
  test('its files are those that were frozen', () => {
    expect(sha256Of(textOf(version, TABLE))).toBe(release.cases);
    for (const [profile, { cases: count, sha256 }] of Object.entries(release.lists)) {
      const text = textOf(version, `${profile}.txt`);
      expect([profile, sha256Of(text), parseIds(text).length]).toEqual([profile, sha256, count]);
    }
    expect(readdirSync(packagePath('mustpass', version)).sort()).toEqual(
      [TABLE, ...Object.keys(release.lists).map((profile) => `${profile}.txt`)].sort(),
    );
  });

  test('its ids are sorted, without repetitions, and the table has the facts about each', () => {
    const table = parseTable(textOf(version, TABLE));
    for (const profile of Object.keys(release.lists)) {
      const ids = parseIds(textOf(version, `${profile}.txt`));
      expect(ids).toEqual([...new Set(ids)].sort());
      expect(ids.filter((id) => !table.has(id))).toEqual([]);
    }
  });

  test('the suites still have its cases, under their ids or new ones, and define them as they were frozen', () => {
    const ids = new Set(cases.map(({ id }) => id));
    const { renames = {} } = release;
    for (const profile of Object.keys(release.lists)) {
      const list = mustpassList(version, profile);
      const lost = list.cases.filter(({ id }) => !ids.has(renames[id] ?? id));
      expect(lost, 'npm run freeze -- --help says what to do').toEqual([]);
      expect(changedCases(list, cases), 'npm run freeze -- --help says what to do').toEqual([]);
      expect(suitesVersion(list, cases)).toBe(release.definitions.at(-1)!.suites);
    }
  });
});

test('lists have MUSTs only, and nothing that depends on more than the plugin and its device', () => {
  const byId = new Map(cases.map((one) => [one.id, one]));
  const [release] = releases;
  const wrong = mustpassList(release!.version, 'full').cases.filter(({ id }) => !isListed(byId.get(id)!));
  expect(wrong).toEqual([]);
});

test('what every plugin must offer is the core', () => {
  const { cases: listed } = mustpassList(releases[0]!.version, 'full');
  const required = listed.filter(({ required: one }) => one).map(({ id }) => id.split(':')[0]);
  expect([...new Set(required)].sort()).toEqual(['core/offered']);
});

test('the package has the lists', () => {
  const { files } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8')) as { files: string[] };
  expect(files).toContain('mustpass');
  expect(existsSync(packagePath('mustpass', 'index.yaml'))).toBe(true);
});
