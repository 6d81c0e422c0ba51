import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import { deviationFor } from '../harness/host/plugins/deviations.ts';
import { readManifest } from '../harness/host/plugins/manifest.ts';
import { recordedRows, rowsOf } from '../tools/docs/recorded.ts';
import { type CliRun, casesOf, cli, runCli, unexplained, verdicts } from './support/cli.ts';
import { installerAvailable } from './support/installer.ts';

/** The built command on real plugins, which are fetched into the user's cache on the first run. */
const fetchable = installerAvailable();
const suiteName = fetchable ? 'real plugins' : 'real plugins (skipped: neither pip nor uv is here)';

/**
 * The suites that compare few bytes in a case: the others take most of the time and share all code. tests/xla-cpu.test.ts has
 * a full run.
 */
const FEW_BYTES = [
  ...['load', 'plugin', 'abi', 'errors', 'extensions', 'client', 'devices', 'memories', 'topology', 'coexistence'],
].flatMap((suite) => ['--suite', suite]);

describe.skipIf(!fetchable)(suiteName, () => {
  describe('xla-cpu', () => {
    let first: CliRun;
    beforeAll(async () => {
      first = await runCli(['--plugin', 'xla-cpu', '--workers', '2', '--accept-known', ...FEW_BYTES]);
    });

    test('one worker gives the same verdicts as two', async () => {
      const second = await runCli(['--plugin', 'xla-cpu', '--workers', '1', '--accept-known', ...FEW_BYTES]);
      const all = verdicts(first);
      const again = verdicts(second);
      expect(Object.keys(again).length).toBeGreaterThan(500);
      for (const [id, status] of Object.entries(again)) expect(`${id}: ${status}`).toBe(`${id}: ${all[id]}`);
      expect(second.exitCode).toBe(0);
    });

    describe('and frameworks', () => {
      const exitOf = async (args: readonly string[]) => (await cli(args)).exitCode;

      test('compat agrees with docs/compatibility.md (`npm run record:compat` updates it)', async () => {
        const { exitCode, stdout } = await cli(['compat', 'xla-cpu', '--format', 'json']);
        expect(rowsOf(stdout)).toEqual(recordedRows());
        expect(exitCode).toBe(0);
      });

      test('the exit code is the verdict for one release', async () => {
        expect(await exitOf(['compat', 'xla-cpu', '--framework', 'jax@0.10.2'])).toBe(0);
        expect(await exitOf(['compat', 'xla-cpu', '--framework', 'jax@0.6.2'])).toBe(1);
        const unknown = await cli(['compat', 'xla-cpu', '--framework', 'jaxx@0.6.2']);
        expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining('did you mean')]);
      });

      test('a release as a profile gates the run', async () => {
        const works = await runCli(['--plugin', 'xla-cpu', '--profile', 'jax@0.10.2', '--suite', 'framework']);
        expect(works.exitCode, works.stdout).toBe(0);
        const refused = await runCli(['--plugin', 'xla-cpu', '--profile', 'jax@0.4.36', '--suite', 'framework']);
        expect(refused.exitCode, refused.stdout).toBe(1);
        expect(refused.stdout).toMatch(/jax 0\.4\.36.*refuses/i);
        expect(refused.junit).toContain('name="jax@0.4.36"');
      });
    });

    // A copy of the file, since the loader takes two names of one inode for one library.
    describe('beside a copy of itself', () => {
      let directory: string;
      let copy: string;
      beforeAll(() => {
        directory = mkdtempSync(join(tmpdir(), 'pjrt-copy-'));
        copy = join(directory, 'copy.so');
        copyFileSync(first.report.plugins[0]!.path, copy);
      });
      afterAll(() => rmSync(directory, { recursive: true, force: true }));

      test('both work in one process, and every case that needs two has run', async () => {
        const run = await runCli(['--plugin', 'xla-cpu', '--plugin', `copy=${copy}`, '--suite', 'coexistence']);
        expect(run.exitCode, run.stdout).toBe(0);
        expect(run.report.plugins).toMatchObject([
          { name: 'xla-cpu', platformName: 'cpu' },
          { name: 'copy', path: copy, platformName: 'cpu' },
        ]);
        const missing = Object.entries(verdicts(first)).filter(([id]) => id.startsWith('coexistence/'));
        expect(missing.filter(([, status]) => status !== 'unsupported')).toEqual([]);
        expect(verdicts(run)).toEqual(Object.fromEntries(missing.map(([id]) => [id, 'pass'])));
      });

      test('the copy is recognised by its hash, and so are its deviations', async () => {
        const run = await runCli(['--plugin', `copy=${copy}`, '--tests', 'plugin/attributes:*', '--accept-known']);
        expect(run.exitCode, run.stdout).toBe(0);
        expect(run.report.plugins).toMatchObject([{ name: 'copy', manifest: 'xla-cpu' }]);
        const known = casesOf(run).filter((c) => c.knownDeviation);
        expect(known.map((c) => c.id)).toEqual(['plugin/attributes:old-size']);
      });
    });
  });

  // CI has little time: the older one runs the standard profile, the newer one a smaller one.
  describe.each([
    ['xla-cpu-106', 106, 'standard', 500],
    ['xla-cpu-115', 115, 'smoke', 50],
  ])('%s', (plugin, minor, profile, passing) => {
    test(`every failure of the ${profile} profile is a known deviation`, async () => {
      const run = await runCli(['--plugin', plugin, '--profile', profile, '--accept-known', '--workers', '2']);
      expect(unexplained(run)).toEqual([]);
      expect(run.exitCode, run.stdout).toBe(0);
      expect(run.report.plugins).toMatchObject([
        { name: plugin, apiVersion: { major: 0, minor }, platformName: 'cpu' },
      ]);
      expect(casesOf(run).filter((c) => c.status === 'pass').length).toBeGreaterThan(passing);
    });

    test('and every known deviation is still seen', async () => {
      const { deviations } = await readManifest(packagePath('plugins', 'known', `${plugin}.yaml`));
      const globs = deviations.map(({ cases }) => cases);
      const run = await runCli(['--plugin', plugin, '--accept-known', ...globs.flatMap((glob) => ['--tests', glob])]);
      expect(unexplained(run)).toEqual([]);
      const failing = casesOf(run).filter((c) => c.knownDeviation);
      const seen = new Set(failing.map((c) => deviationFor({ deviations }, c.id)?.cases));
      expect(globs.filter((glob) => !seen.has(glob))).toEqual([]);
    });
  });

  test.each([
    ['xla-cuda13', 'FAILED_PRECONDITION', 116, 11],
    ['libtpu', 'NOT_FOUND', 117, 18],
  ])('%s without its device: facts, its own message, exit code 3', async (plugin, code, minor, extensions) => {
    const run = await runCli(['--plugin', plugin, '--suite', 'client']);
    expect(run.exitCode).toBe(3);
    const facts = run.report.plugins[0]!;
    expect(facts).toMatchObject({
      apiVersion: { major: 0, minor },
      versionStanding: 'known',
      failure: { stage: 'client', code },
    });
    expect('extensions' in facts && facts.extensions).toHaveLength(extensions);
    expect('attributes' in facts && facts.attributes).toHaveProperty('stablehlo_current_version');
    expect(run.stdout).toContain(code);
  });

  test.each(['xla-cuda13', 'libtpu'])('%s passes the profile that needs no device', async (plugin) => {
    const run = await runCli(['--plugin', plugin, '--profile', 'no-device', '--accept-known']);
    const violated = run.report.suites
      .flatMap((s) => s.cases)
      .filter((c) => !['pass', 'unsupported', 'skip'].includes(c.status));
    expect(violated.filter((c) => !c.knownDeviation).map((c) => `${c.status} ${c.id}`)).toEqual([]);
    expect(run.exitCode).toBe(0);
    if (plugin === 'libtpu') {
      const compiled = run.report.suites
        .flatMap((s) => s.cases)
        .filter((c) => c.id.startsWith('topology/compile-only:'));
      expect(compiled.some((c) => c.status === 'pass')).toBe(true);
    }
  });
});
