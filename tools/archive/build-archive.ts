import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../harness/base/paths.ts';
import { TOOL } from '../../harness/base/tool.ts';
import { licenseProblems } from '../wheel/licenses.ts';
import { platformName, type WheelPlatform } from '../wheel/platforms.ts';
import { stage } from '../wheel/stage.ts';
import { fetchNode } from './node.ts';

/** What fits through the gateways of device labs. */
const LIMIT = 40 * 2 ** 20;

export interface ArchiveOptions {
  /** Tarball of the npm package. */
  tarball: string;
  platform: WheelPlatform;
  /** Directory for intermediate files. */
  work: string;
  /** Directory of the archive. */
  out: string;
  /** Of xz. Only 6, the default, is held to the limit of size. */
  preset?: number;
}

/**
 * Builds the archive of one platform: the package, its dependencies and Node.js, below one directory with the command at its top.
 * @returns its path
 * @throws Error if npm fails, a license is missing, or the archive is too large
 */
export function buildArchive({ tarball, platform, work, out, preset = 6 }: ArchiveOptions): string {
  const name = `${TOOL.name}-${TOOL.version}-${platformName(platform)}`;
  const root = join(work, name);
  rmSync(root, { recursive: true, force: true });
  stage(tarball, platform, join(root, 'package'));
  const problems = licenseProblems(
    join(root, 'package'),
    readFileSync(packagePath('python', 'pyproject.toml'), 'utf8'),
    'Apache-2.0',
  );
  if (problems.length > 0) throw new Error(problems.join('\n'));
  fetchNode(platform, join(work, 'node'), join(root, 'node'));
  copyFileSync(packagePath('LICENSE'), join(root, 'LICENSE'));
  copyFileSync(packagePath('tools', 'archive', 'launcher.sh'), join(root, TOOL.name));
  for (const program of [TOOL.name, 'node/node']) chmodSync(join(root, program), 0o755);
  mkdirSync(out, { recursive: true });
  const archive = join(out, `${name}.tar.xz`);
  // The same input gives the same bytes.
  const same = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mode=go=rX', '--mtime=@0'];
  execFileSync('tar', [...same, '-I', `xz -T0 -${preset}`, '-cf', archive, '-C', work, name]);
  rmSync(root, { recursive: true });
  const { size } = statSync(archive);
  if (preset === 6 && size > LIMIT) throw new Error(`${archive} has ${size} bytes, more than ${LIMIT}`);
  return archive;
}
