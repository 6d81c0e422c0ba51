/** Part of `npm pack`: builds the reference plugin for this machine's platform into the package. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packagePath } from '../../harness/paths.ts';
import { DIGEST_FILE, sourcesDigest } from '../../harness/plugins/build-plugin.ts';
import { currentPlatform } from '../../harness/plugins/resolve.ts';

const LIBRARY = 'pjrt-plugin-reference.so';
/** Users of other platforms build it themselves. */
const PLATFORMS = ['linux-x64'];

const folder = packagePath('plugins', 'reference');
const prebuilt = join(folder, 'prebuilt');
rmSync(prebuilt, { recursive: true, force: true });
if (PLATFORMS.includes(currentPlatform())) {
  const out = mkdtempSync(join(tmpdir(), 'pjrt-reference-'));
  try {
    const digest = await sourcesDigest(folder);
    execFileSync('sh', [join(folder, 'build.sh'), out, '--portable'], { stdio: ['ignore', 2, 2] });
    mkdirSync(join(prebuilt, currentPlatform()), { recursive: true });
    copyFileSync(join(out, LIBRARY), join(prebuilt, currentPlatform(), LIBRARY));
    writeFileSync(join(prebuilt, currentPlatform(), DIGEST_FILE), `${digest}\n`);
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}
