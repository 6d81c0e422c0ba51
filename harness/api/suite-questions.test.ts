import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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

test('validate knows a file by its keys and checks it as what it is', async () => {
  const files = {
    'plugin.yaml': ['plugin manifest', 'library: x.so\nenv: {A: "1"}\n', 'librari: x.so\nenv: {A: "1"}\n'],
    'jax.json': ['plugin manifest', '{"library_path": "x.so"}', '{"library_path": 5}'],
    'option.yaml': ['plugin manifest', 'name: x\noptions: {a: 1}\n', 'name: x\noptions: {a: {}}\n'],
    'pjrt-conformance.yaml': ['configuration file', '# nothing\n', 'plugins: x\n'],
    'mine/expected.yaml': [
      'expectations file',
      'expectations: [{cases: "a:b", expect: fail, reason: why}]\n',
      'expectations: [{cases: "a:b", expect: fall, reason: why}]\n',
    ],
    'policy.yaml': ['policy of the gate', 'changes: {new-crash: fail}\n', 'changes: {new-crash: often}\n'],
    'own-config.yaml': ['configuration file', 'plugin: x\nsuites: [a]\n', 'plugin: x\nsuites: 5\n'],
    'marked.yaml': ['waivers file', '$schema: ../schemas/waivers.schema.json\nwaivers: []\n', 'waivers: 5\n'],
  };
  mkdirSync(join(cwd, 'mine'));
  for (const [file, [kind, good, bad]] of Object.entries(files)) {
    writeFileSync(join(cwd, file), good!);
    expect(await validate({ paths: [file], cwd })).toEqual({
      suites: 0,
      cases: 0,
      problems: [],
      files: [{ file, kind, valid: true }],
    });
    writeFileSync(join(cwd, file), bad!);
    const { problems, files: found } = await validate({ paths: [file, 'mine.yaml'], cwd });
    expect([found, problems.length]).toEqual([[{ file, kind, valid: false }], 1]);
    expect(problems[0]!.file).toBe(file);
  }
});

test('a file whose keys nothing knows is a problem that says what they are', async () => {
  writeFileSync(join(cwd, 'odd.yaml'), 'colour: red\n');
  const { problems } = await validate({ paths: ['odd.yaml'], cwd });
  expect(problems).toMatchObject([
    { file: 'odd.yaml', got: 'the keys colour', expected: expect.stringContaining('suite') },
  ]);
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
