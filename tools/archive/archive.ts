// Builds the offline archives (docs/offline.md).
import { rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { packagePath } from '../../harness/base/paths.ts';
import { runTool } from '../run-tool.ts';
import { megabytes } from '../wheel/build-wheel.ts';
import { platformName, platformsNamed, WHEEL_PLATFORMS } from '../wheel/platforms.ts';
import { pack } from '../wheel/stage.ts';
import { buildArchive } from './build-archive.ts';

const names = WHEEL_PLATFORMS.map(platformName);

const USAGE = `usage: build:archive [--platform ${names.join('|')}]... [--tarball FILE]
  --platform  only the archive for this platform (default: all)
  --tarball   the npm package to put into it (default: npm pack, which builds it)
The archives are written to build/archive.`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    platform: { type: 'string', multiple: true, default: names },
    tarball: { type: 'string' },
  },
});

await runTool(USAGE, values.help, async () => {
  const platforms = platformsNamed(values.platform);
  const out = packagePath('build', 'archive');
  const work = join(out, 'work');
  rmSync(out, { recursive: true, force: true });
  const tarball = values.tarball === undefined ? pack(join(work, 'package'), true) : resolve(values.tarball);
  for (const platform of platforms) {
    const archive = buildArchive({ tarball, platform, work, out });
    console.log(`${relative(process.cwd(), archive)}  ${megabytes(archive)}`);
  }
  rmSync(work, { recursive: true, force: true });
  return true;
});
