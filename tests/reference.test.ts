import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { packagePath } from '../harness/paths.ts';
import { type CliRun, runCli } from './support/cli.ts';
import { canSanitize, referenceLibrary, runReferenceTest, sanitizedReference } from './support/reference.ts';

/**
 * The plugin that is right, on which every check has to pass. `npm run check:reference` goes through every API version with
 * all suites; here the versions run the suites in which they differ.
 */
const notPassed = (run: CliRun): string[] =>
  run.report.suites
    .flatMap((s) => s.cases)
    .filter((c) => c.status !== 'pass' && c.status !== 'unsupported')
    .map((c) => `${c.status} ${c.id}: ${c.findings?.[0]?.message ?? c.reason}`);

const BY_VERSION = [
  'load',
  'plugin',
  'abi',
  'errors',
  'events',
  'client',
  'devices',
  'memories',
  'topology',
  'extensions',
];
const suites = (names: readonly string[]): string[] => names.flatMap((name) => ['--suite', name]);

describe('the reference plugin', () => {
  beforeAll(referenceLibrary);

  test('passes every suite', async () => {
    const run = await runCli(['--plugin', 'reference']);
    expect(notPassed(run)).toEqual([]);
    expect(run.exitCode).toBe(0);
    expect(run.report.plugins[0]).toMatchObject({ apiVersion: { major: 0, minor: 114 } });
  });

  test.each([60, 81, 107])('passes as API 0.%d', async (minor) => {
    const run = await runCli(['--plugin', 'reference', ...suites(BY_VERSION)], {
      PJRT_REFERENCE_API_MINOR: String(minor),
    });
    expect(notPassed(run)).toEqual([]);
    expect(run.exitCode).toBe(0);
    expect(run.report.plugins[0]).toMatchObject({ apiVersion: { major: 0, minor } });
  });

  test('passes when everything takes its time', async () => {
    const run = await runCli(
      ['--plugin', 'reference', ...suites(['events', 'execute', 'donation', 'views', 'async-transfer', 'errors'])],
      { PJRT_REFERENCE_DELAY_US: '1000' },
    );
    expect(notPassed(run)).toEqual([]);
  });

  test.each(['0.60', '0.90', 'newer'])('passes with a caller of %s', async (caller) => {
    const run = await runCli([
      '--plugin',
      'reference',
      '--as-api',
      caller,
      ...suites(['framework', 'client', 'errors', 'extensions', 'memories']),
    ]);
    expect(notPassed(run)).toEqual([]);
    expect(run.exitCode).toBe(0);
  });

  test('every function of its extensions that can be called works', async () => {
    const run = await runCli(['--plugin', 'reference', ...suites(['extensions'])]);
    const slots = run.report.capabilities[0]!.extensions.flatMap((e) =>
      e.slots.map((s) => ({ ...s, name: `${e.name}.${s.name}` })),
    );
    const called = slots.filter((s) => s.ability !== 'not-called');
    expect(called.filter((s) => s.ability !== 'works')).toEqual([]);
    expect(called).toHaveLength(40);
    expect(slots.filter((s) => s.reason === undefined)).toEqual(called);
    expect(run.stdout).toContain('extension functions: 40 works, 12 not called');
  });
});

/** Compiling with sanitizers takes longer than everything else together. */
const reason = !process.env.SANITIZE
  ? ' (skipped: takes ten minutes, ask for it with SANITIZE=1)'
  : canSanitize()
    ? ''
    : ' (skipped: the compiler here has no sanitizers)';

describe.skipIf(reason !== '')(`under ASan and UBSan${reason}`, () => {
  let library: string;
  let env: Record<string, string>;
  beforeAll(() => {
    ({ library, env } = sanitizedReference());
  });

  test.each([
    ['runtime_test', []],
    ['launch_test', []],
    ['interpreter_test', []],
    ['ir_test', [packagePath('fixtures'), '500']],
    ['bytecode_test', [packagePath('fixtures'), '2']],
  ])('%s', (name, args) => {
    expect(runReferenceTest(name, args)).toMatch(/\b0 failed\b/);
  });

  test('the plugin passes what touches memory', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pjrt-sanitized-'));
    try {
      const manifest = join(folder, 'reference.json');
      writeFileSync(manifest, JSON.stringify({ name: 'reference-sanitized', library, env }));
      const run = await runCli([
        '--plugin',
        manifest,
        ...suites(['views', 'donation', 'execute', 'async-transfer', 'errors']),
      ]);
      expect(notPassed(run)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
