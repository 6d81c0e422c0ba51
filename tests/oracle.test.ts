import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import { loadDesign } from '../tools/designs/design.ts';
import { buildDesigns, manifestOf, writeManifest } from '../tools/designs/plugin.ts';
import { resolveHere } from '../tools/resolve-here.ts';
import { type CliRun, cli } from './support/cli.ts';

// `programs --oracle`: another plugin computes what is expected.

const directory = mkdtempSync(join(tmpdir(), 'pjrt-oracle-'));
const programs = join(directory, 'programs');
/** The reference plugin without types of 64 bits. */
let narrow: string;
/** The reference plugin with results of too little accuracy. */
let inaccurate: string;

beforeAll(async () => {
  cpSync(packagePath('examples', 'programs'), programs, { recursive: true });
  for (const file of readdirSync(programs)) if (/outputs|\.py$/.test(file)) rmSync(join(programs, file));
  writeFileSync(
    join(programs, 'wide.mlir'),
    `func.func @main(%arg0: tensor<3xi64>) -> tensor<3xi64> {
      %0 = stablehlo.add %arg0, %arg0 : tensor<3xi64>
      return %0 : tensor<3xi64>
    }`,
  );
  const base = { name: 'reference' as const, plugin: await resolveHere('reference') };
  const library = await buildDesigns();
  narrow = writeManifest(mkdtempSync(join(directory, 'narrow-')), manifestOf(loadDesign('no-64-bits'), base, library));
  inaccurate = writeManifest(
    mkdtempSync(join(directory, 'inaccurate-')),
    manifestOf(loadDesign('fast-math'), base, library),
  );
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const results = ({ events }: CliRun): Record<string, string[]> =>
  Object.fromEntries(
    events.flatMap((e) =>
      e.type === 'case' ? [[e.id, [e.result.status, ...(e.result.reason ? [e.result.reason] : [])]]] : [],
    ),
  );
const on = (plugin: string, ...words: string[]): Promise<CliRun> =>
  cli(['programs', programs, '--plugin', plugin, '--output', 'out', ...words]);

test('two plugins agree, and the log says whose results are expected', async () => {
  const seen = await on('reference', '--oracle', 'xla-cpu', '--strict');
  expect(results(seen)).toEqual({
    'programs:attention_bf16': ['pass'],
    'programs:layer_norm': ['pass'],
    'programs:word_count': ['pass'],
    'programs:wide': ['pass'],
  });
  expect(seen.exitCode).toBe(0);
  const notes = seen.events.flatMap((e) => (e.type === 'note' ? e.message : []));
  expect(notes).toContainEqual(
    expect.stringMatching(/^xla-cpu \(.*, sha256 \w{12}\) says what is expected of 4 of 4 programs; .* out\/oracle$/),
  );
});

test('what the oracle cannot run is unsupported, with its reason', async () => {
  const seen = await on('reference', '--oracle', narrow);
  expect(results(seen)).toMatchObject({
    'programs:word_count': ['pass'],
    'programs:wide': ['unsupported', expect.stringMatching(/^it runs, but the oracle .* says nothing: .*s64/)],
  });
});

test('a result that differs from the oracle is a failure, and without one nothing is compared', async () => {
  writeFileSync(join(programs, 'layer_norm.yaml'), 'compare: bits\n');
  const compared = await on(inaccurate, '--oracle', 'reference', '--tests', 'programs:layer_norm');
  expect(results(compared)).toEqual({ 'programs:layer_norm': ['fail'] });
  const alone = await on(inaccurate, '--tests', 'programs:layer_norm');
  expect(results(alone)).toEqual({ 'programs:layer_norm': ['pass'] });
  rmSync(join(programs, 'layer_norm.yaml'));
});

test('an oracle that does not load is reported before anything runs', async () => {
  const seen = await on('reference', '--oracle', './nothing.so');
  expect([seen.exitCode, seen.events]).toEqual([2, []]);
  expect(seen.stderr).toMatch(/nothing\.so/);
});
