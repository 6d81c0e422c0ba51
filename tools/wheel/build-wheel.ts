import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../harness/base/paths.ts';
import { licenseProblems } from './licenses.ts';
import { platformName, type WheelPlatform } from './platforms.ts';
import { stage } from './stage.ts';

const PYTHON = process.env.PJRT_CONFORMANCE_PYTHON || 'python3';

/**
 * Builds the wheel of one platform from the tarball of the npm package.
 * @param work directory for intermediate files
 * @param out directory of the wheel
 * @returns its path
 * @throws Error with the output of pip or npm
 */
export function buildWheel(tarball: string, platform: WheelPlatform, work: string, out: string): string {
  const staged = join(work, platformName(platform));
  stage(tarball, platform, staged);
  const project = packagePath('python');
  const problems = licenseProblems(staged, readFileSync(join(project, 'pyproject.toml'), 'utf8'), 'Apache-2.0');
  if (problems.length > 0) throw new Error(problems.join('\n'));
  mkdirSync(out, { recursive: true });
  const { status, stdout, stderr, error } = spawnSync(
    PYTHON,
    ['-m', 'pip', 'wheel', '--no-deps', '--disable-pip-version-check', '--wheel-dir', out, project],
    {
      encoding: 'utf8',
      env: { ...process.env, PJRT_CONFORMANCE_STAGED: staged, PJRT_CONFORMANCE_TAG: platform.tag },
    },
  );
  if (status !== 0) throw new Error(`${PYTHON} -m pip wheel failed: ${error?.message ?? `${stdout}${stderr}`}`);
  const [name] = readdirSync(out).filter((file) => file.endsWith(`-${platform.tag}.whl`));
  return join(out, name!);
}

/** The size of a file, in MB. */
export const megabytes = (path: string): string => `${(statSync(path).size / 1e6).toFixed(1)} MB`;
