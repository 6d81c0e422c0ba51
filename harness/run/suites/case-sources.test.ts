import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { packagePath } from '../../base/paths.ts';
import { TOOL } from '../../base/tool.ts';
import { foldRun, type Run } from '../../model/run.ts';
import { header, result, suiteEvents } from '../../model/sample-log.test-helper.ts';
import { caseSources } from './case-sources.ts';

const cwd = mkdtempSync(join(tmpdir(), 'pjrt-sources-'));
afterAll(() => rmSync(cwd, { recursive: true }));

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

interface Suite {
  id: string;
  file: string;
  sha256: string;
  cases: { name: string; line: number }[];
}

const runOf = ({ id, file, sha256, cases }: Suite, head = {}): Run =>
  foldRun([
    header({ tool: { name: TOOL.name, version: TOOL.version }, startedAt: '2026-02-03T04:05:06.000Z', ...head }),
    ...suiteEvents(
      id,
      cases.map(({ name, line }) => ({ name, plan: { line } })),
    ).map((event) => (event.type === 'suite' ? { ...event, file, sha256 } : event)),
  ]);

const FILE = 'suites/numerics/unary.yaml';
const TEXT = readFileSync(packagePath(FILE), 'utf8');
const LINE = TEXT.split('\n').indexOf('  - id: bounded') + 1;
const SUITE: Suite = {
  id: 'numerics/unary',
  file: FILE,
  sha256: digest(TEXT),
  cases: [{ name: 'bounded[op=sine,dtype=f32]', line: LINE }],
};
const ID = 'numerics/unary:bounded[op=sine,dtype=f32]';

test('a case of the package has its steps and its programs', async () => {
  const source = (await caseSources(runOf(SUITE), cwd)).get(ID)!;
  expect(source.steps?.line).toBe(LINE);
  expect(source.steps?.text).toMatch(/^- id: bounded\n/);
  expect(source.programs.map(({ name }) => name)).toEqual(['unary/sine_f32']);
  expect(source.programs[0]!.text).toContain('stablehlo.sine');
});

test('a suite that is not the one of the run has none', async () => {
  expect(await caseSources(runOf({ ...SUITE, sha256: digest('another') }), cwd)).toEqual(new Map());
  const gone = { ...SUITE, file: 'suites/numerics/gone.yaml' };
  expect(await caseSources(runOf(gone), cwd)).toEqual(new Map());
});

test('a log cannot name a file outside of the suites', async () => {
  const secret = 'suite: a\n- id: b\n';
  writeFileSync(join(cwd, 'secret.txt'), secret);
  const named = { id: 'a', file: 'secret.txt', sha256: digest(secret), cases: [{ name: 'b', line: 2 }] };
  expect(await caseSources(runOf(named), cwd)).toEqual(new Map());
});

test('programs of another version of the tool are left out', async () => {
  const run = runOf(SUITE, { tool: { name: TOOL.name, version: '0.0.1' } });
  expect((await caseSources(run, cwd)).get(ID)!.programs).toEqual([]);
});

const OWN = `suite: mine
description: A suite of the user.
cases:
  - id: softmax
    description: The program of the user is compiled.
    covers: [NUM-PRG-001]
    steps:
      - if-offered:
          - compile: {program: ../programs/softmax.mlir}
`;
const MODULE = `module {\n${Array.from({ length: 4000 }, (_, i) => `  // line ${i} of a long program`).join('\n')}\n}\n`;

test('suites of the user have theirs, and a long program is cut', async () => {
  mkdirSync(join(cwd, 'suites'));
  mkdirSync(join(cwd, 'programs'));
  writeFileSync(join(cwd, 'suites', 'mine.yaml'), OWN);
  const program = join(cwd, 'programs', 'softmax.mlir');
  writeFileSync(program, MODULE);
  utimesSync(program, new Date('2026-01-01'), new Date('2026-01-01'));
  const own = { id: 'mine', file: 'suites/mine.yaml', sha256: digest(OWN), cases: [{ name: 'softmax', line: 4 }] };
  const source = (await caseSources(runOf(own), cwd)).get('mine:softmax')!;
  expect(source.steps).toEqual({ line: 4, text: expect.stringContaining('../programs/softmax.mlir') });
  const [shown] = source.programs;
  expect(shown!.name).toBe('softmax.mlir');
  expect(shown!.text.split('\n').length + shown!.omittedLines!).toBe(MODULE.trimEnd().split('\n').length);
  // A file that is younger than the run may not be the one that ran.
  utimesSync(program, new Date('2026-05-01'), new Date('2026-05-01'));
  expect((await caseSources(runOf(own), cwd)).get('mine:softmax')!.programs).toEqual([]);
});

test('a case of a directory of programs has its program; those that did not pass have precedence', async () => {
  const names = Array.from({ length: 40 }, (_, i) => `p${i}`);
  for (const name of names) {
    const program = join(cwd, 'programs', `${name}.mlir`);
    writeFileSync(program, `module @${name} {}\n${'// filler\n'.repeat(10_000)}`);
    utimesSync(program, new Date('2026-01-01'), new Date('2026-01-01'));
  }
  const cases = names.map((name) => ({
    name,
    plan: { file: `programs/${name}.mlir`, line: 1 },
    result: result(name === 'p39' ? 'fail' : 'pass'),
  }));
  const run = foldRun([
    header({ startedAt: '2026-02-03T04:05:06.000Z' }),
    ...suiteEvents('programs', cases).map((event) => (event.type === 'suite' ? { ...event, file: 'programs' } : event)),
  ]);
  const sources = await caseSources(run, cwd);
  const shown = names.filter((name) => sources.get(`programs:${name}`)!.programs.length > 0);
  // Each is cut after 65,536 characters, and 2,097,152 are kept of those that passed.
  expect(shown).toEqual([...names.slice(0, 32), 'p39']);
});
