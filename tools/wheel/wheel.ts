// Builds the Python wheels (docs/python.md).
import { rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { packagePath } from '../../harness/base/paths.ts';
import { runTool } from '../run-tool.ts';
import { buildWheel, megabytes } from './build-wheel.ts';
import { platformName, platformsNamed, WHEEL_PLATFORMS } from './platforms.ts';
import { pack } from './stage.ts';

const names = WHEEL_PLATFORMS.map(platformName);

const USAGE = `usage: build:wheel [--platform ${names.join('|')}]... [--tarball FILE]
  --platform  only the wheel for this platform (default: all)
  --tarball   the npm package to put into it (default: npm pack, which builds it)
The wheels are written to build/wheel.`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    platform: { type: 'string', multiple: true, default: names },
    tarball: { type: 'string' },
  },
});

await runTool(USAGE, values.help, async () => {
  const platforms = platformsNamed(values.platform);
  const out = packagePath('build', 'wheel');
  const work = join(out, 'work');
  rmSync(out, { recursive: true, force: true });
  const tarball = values.tarball === undefined ? pack(join(work, 'package'), true) : resolve(values.tarball);
  for (const platform of platforms) {
    const wheel = buildWheel(tarball, platform, work, out);
    console.log(`${relative(process.cwd(), wheel)}  ${megabytes(wheel)}`);
  }
  rmSync(work, { recursive: true, force: true });
  return true;
});
