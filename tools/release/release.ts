// Makes everything that a release publishes, and publishes nothing (docs/releasing.md).
import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { packagePath } from '../../harness/base/paths.ts';
import { TARBALL, TOOL } from '../../harness/base/tool.ts';
import { UsageError } from '../../harness/base/usage-error.ts';
import { buildArchive } from '../archive/build-archive.ts';
import { runTool } from '../run-tool.ts';
import { buildWheel, megabytes } from '../wheel/build-wheel.ts';
import { platformName, platformsNamed, WHEEL_PLATFORMS } from '../wheel/platforms.ts';
import { pack } from '../wheel/stage.ts';
import { CHECKSUMS, checksums } from './checksums.ts';
import { unreadiness } from './readiness.ts';

const names = WHEEL_PLATFORMS.map(platformName);

const USAGE = `usage: release [--dry-run] [--platform ${names.join('|')}]...
  --dry-run   even if this is not a commit that may be published: says why not, and makes the files all the same
  --platform  wheel and archive of this platform only (default: all; repeatable)
Writes the npm package, wheels, archives, schemas, lists of components and ${CHECKSUMS} to build/release. Publishes nothing.`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    'dry-run': { type: 'boolean', default: false },
    platform: { type: 'string', multiple: true, default: names },
  },
});

const output = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { cwd: packagePath(), encoding: 'utf8', maxBuffer: 2 ** 26 });

await runTool(USAGE, values.help, async () => {
  const platforms = platformsNamed(values.platform);
  const out = packagePath('build', 'release');
  const work = join(packagePath('build'), 'release-work');
  for (const directory of [out, work]) rmSync(directory, { recursive: true, force: true });

  const packed = pack(join(work, 'package'), true);
  const reasons = unreadiness({
    version: TOOL.version,
    changes: output('git', 'status', '--porcelain'),
    tags: output('git', 'tag', '--points-at', 'HEAD').split('\n'),
    files: output('tar', '-tzf', packed)
      .split('\n')
      .map((path) => path.replace(/^package\//, '')),
  });
  if (reasons.length > 0 && !values['dry-run']) throw new UsageError(reasons.join('\n'));
  for (const reason of reasons) console.error(`not to be published: ${reason}`);

  for (const platform of platforms) {
    buildWheel(packed, platform, join(work, 'wheel'), out);
    buildArchive({ tarball: packed, platform, work: join(work, 'archive'), out });
  }
  copyFileSync(packed, join(out, TARBALL));
  const named = (ending: string): string => join(out, `${TOOL.name}-${TOOL.version}${ending}`);
  output('tar', '--sort=name', '--owner=0', '--group=0', '--mtime=@0', '-czf', named('-schemas.tar.gz'), 'schemas');
  for (const [format, ending] of [
    ['cyclonedx', '.cdx.json'],
    ['spdx', '.spdx.json'],
  ] as const)
    writeFileSync(named(ending), output('npm', 'sbom', '--omit=dev', '--package-lock-only', `--sbom-format=${format}`));
  writeFileSync(join(out, CHECKSUMS), checksums(out));
  for (const file of readdirSync(out))
    console.log(`${relative(process.cwd(), join(out, file))}  ${megabytes(join(out, file))}`);
  rmSync(work, { recursive: true });
  return true;
});
