import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Interference } from '../harness/commands/coexist/blame.ts';
import type { Matrix } from '../harness/commands/coexist/matrix.ts';
import { loadDesign } from '../tools/designs/design.ts';
import { buildDesigns, manifestOf, writeManifest } from '../tools/designs/plugin.ts';
import { buildFaults } from '../tools/mutation/library.ts';
import { resolveHere } from '../tools/resolve-here.ts';
import { command } from './support/command.ts';
import { parseAs } from './support/json-schemas.ts';
import { validateJunit } from './support/junit-schemas.ts';

/** Faults that only company shows, or that harm others, beside a plugin without faults; the command blames the right one. */

let directory: string;
let reference: string;
let faults: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-coexist-test-'));
  reference = (await resolveHere('reference')).library;
  faults = await buildFaults();
  // Base, company and control are three libraries with the same contents, or nearly.
  copyFileSync(reference, join(directory, 'base.so'));
  copyFileSync(reference, join(directory, 'other.so'));
  appendFileSync(join(directory, 'other.so'), '\0');
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const manifest = (name: string, contents: Record<string, unknown>): string => {
  const file = join(directory, `${name}.json`);
  writeFileSync(file, JSON.stringify({ options: { num_devices: 2 }, ...contents }));
  return file;
};

const other = (): string => manifest('other', { name: 'other', library: join(directory, 'other.so') });

const faulty = (fault: string): string =>
  manifest(fault, {
    name: 'faulty',
    library: faults,
    env: { PJRT_FAULT: fault, PJRT_FAULTS_BASE: join(directory, 'base.so') },
  });

function coexist(name: string, plugins: readonly string[], cells: readonly string[], more: readonly string[]): Matrix {
  const output = join(directory, name);
  const chosen = cells.flatMap((cell) => ['--cell', cell]);
  const { status, stderr } = command(
    ['coexist', ...plugins, ...chosen, '--tests', 'coexistence/company:*', ...more, '--quiet', '--output', output],
    directory,
    // One of the faults removes it.
    { TMPDIR: directory },
  );
  const matrix = parseAs<Matrix>('coexistence', readFileSync(join(output, 'coexist.json'), 'utf8'));
  expect(status, stderr).toBe(matrix.exitCode);
  validateJunit(readFileSync(join(output, 'coexist.xml'), 'utf8'));
  return matrix;
}

interface Expected {
  where: string;
  evidence: Interference['evidence'];
  level?: 'warn';
  only?: Interference['only'];
  /** Cells in which it shows; default: both orders. */
  cells?: string[];
  /** Needs a second partner. */
  control?: true;
}

const PAIRS = ['faulty+other', 'other+faulty'];
const CONTROLS = ['faulty+reference', 'reference+faulty'];
const state = (level?: 'warn'): Expected => ({
  where: 'coexistence/company:state',
  evidence: 'seen',
  ...(level ? { level } : {}),
});

const EXPECTED: Readonly<Record<string, Expected>> = {
  'coexistence-other-results': { where: 'coexistence/company:results', evidence: 'itself' },
  'coexistence-spoils-others-memory': { where: 'coexistence/company:results', evidence: 'itself' },
  'coexistence-crashes-at-exit': { where: 'coexistence/company:exit', evidence: 'itself' },
  'coexistence-dies-when-destroyed-last': {
    where: 'coexistence/company:destroy-order[destroy=last]',
    evidence: 'itself',
  },
  'coexistence-registers-twice': { where: '(start)', evidence: 'itself', cells: ['faulty.copy'] },
  'coexistence-refuses-company': { where: '(start)', evidence: 'partners', control: true },
  'coexistence-refuses-when-second': {
    where: '(start)',
    evidence: 'partners',
    only: 'loaded second',
    cells: ['other+faulty'],
    control: true,
  },
  'coexistence-global-symbols': state('warn'),
  'coexistence-resets-signal-handlers': state('warn'),
  'hygiene-flushes-subnormals': state(),
  'hygiene-locale': state(),
  'hygiene-working-directory': state(),
  'hygiene-environment-unset': state(),
  'hygiene-umask': state(),
  'hygiene-closes-stdin': state(),
};

test.each(Object.entries(EXPECTED))('%s is blamed on the plugin that has it', (fault, expected) => {
  const { where, evidence, level = 'fail', only, cells = PAIRS, control } = expected;
  const more = control ? ['--control', reference] : ['--no-control'];
  const chosen = [...PAIRS, ...(control ? CONTROLS : []), ...(evidence === 'itself' ? ['faulty.copy'] : [])];
  const matrix = coexist(fault, [faulty(fault), other()], chosen, more);
  const shown = matrix.interferences.map(({ culprit, level, where, message }) => [culprit, level, where, message]);
  const found = matrix.interferences.find((item) => item.where === where && item.culprit === 'faulty');
  expect(found, JSON.stringify(shown, null, 2)).toMatchObject({ level, evidence, ...(only ? { only } : {}) });
  expect(found!.cells).toEqual(expect.arrayContaining(cells));
  expect(matrix.interferences.filter(({ culprit }) => culprit !== 'faulty')).toEqual([]);
  expect(matrix.exitCode).toBe(level === 'fail' ? 1 : 0);
});

test.each(['tpu-like', 'proxy-like', 'one-client'])(
  'nothing is wrong beside a plugin of the design %s',
  async (name) => {
    const base = { name: 'reference', plugin: await resolveHere('reference') } as const;
    const design = loadDesign(name);
    const subject = writeManifest(
      mkdtempSync(join(directory, 'design-')),
      manifestOf(design, base, await buildDesigns()),
    );
    const cells = [`${name}+other`, `other+${name}`, `${name}.same-file`];
    const matrix = coexist(name, [subject, other()], cells, ['--no-control']);
    expect(matrix.interferences).toEqual([]);
    expect(matrix.exitCode).toBe(0);
  },
);

test('mistakes get one clear error', () => {
  const said = (...args: string[]) => command(['coexist', ...args], directory);
  expect(said()).toMatchObject({ status: 2, stderr: expect.stringContaining('name the plugins, or use --all-found') });
  expect(said(other(), '--cell', 'no+such')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--cell no+such: there is no such arrangement; '),
  });
  expect(said(other(), join(directory, 'other.so'))).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('it is given twice'),
  });
  const mine = join(directory, 'mine', 'cells', 'biology');
  mkdirSync(mine, { recursive: true });
  writeFileSync(join(mine, 'notes'), '');
  expect(said(other(), '--output', 'mine')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('mine/cells/biology: coexist did not write this'),
  });
  expect(existsSync(join(mine, 'notes'))).toBe(true);
});
