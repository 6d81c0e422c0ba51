import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { coverage, list, validate } from './suite-questions.ts';

const cwd = mkdtempSync(join(tmpdir(), 'pjrt-suite-questions-'));
const own = (suite: string, step: string): string => `suite: ${suite}
description: Cases of a user.
cases:
  - id: one
    description: A new event is not ready.
    covers: [EVT-CRE-001]
    steps:
      - ${step}
`;
writeFileSync(join(cwd, 'mine.yaml'), own('mine', '{probe: event-on-ready}'));
writeFileSync(join(cwd, 'bad.yaml'), own('bad', '{prob: event-on-ready}'));
afterAll(() => rmSync(cwd, { recursive: true }));

test('validate gives the problems as data', async () => {
  expect(await validate({ paths: ['mine.yaml'], cwd })).toEqual({ suites: 1, cases: 1, problems: [] });
  const { suites, problems } = await validate({ paths: ['bad.yaml'], cwd });
  expect(suites).toBe(0);
  expect(problems[0]).toMatchObject({ file: 'bad.yaml', path: 'cases[0].steps[0]' });
});

test('list gives the cases of a selection', async () => {
  const mine = await list({ suites: ['mine.yaml'], suite: ['mine'], cwd });
  expect(mine).toMatchObject([{ id: 'mine:one', covers: ['EVT-CRE-001'], steps: 1 }]);
  const [first, second] = await Promise.all(
    [1, 2].map((index) => list({ suite: ['load'], shard: { index, count: 2 } })),
  );
  const all = await list({ suite: ['load'] });
  expect([...first!, ...second!].map(({ id }) => id).sort()).toEqual(all.map(({ id }) => id).sort());
  await expect(list({ tests: ['nosuch:*'] })).rejects.toThrow('nosuch:*');
});

test('coverage gives the requirements with their cases', async () => {
  const { requirements, total, covered } = await coverage({ suites: ['mine.yaml'], cwd });
  expect(requirements).toHaveLength(total);
  expect(requirements.filter(({ cases }) => cases.length > 0)).toHaveLength(covered);
  expect(requirements.find(({ id }) => id === 'EVT-CRE-001')?.cases).toContain('mine:one');
});
