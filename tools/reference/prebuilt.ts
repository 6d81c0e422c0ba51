import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../harness/base/paths.ts';
import { scratchDirectory } from '../../harness/base/scratch.ts';
import { DIGEST_FILE, sourcesDigest } from '../../harness/host/plugins/build-plugin.ts';
import { currentPlatform } from '../../harness/host/plugins/resolve.ts';
import { writeGeneratedSources } from './generated-sources.ts';

const LIBRARY = 'pjrt-plugin-reference.so';

/** Platforms with a prebuilt library in the package. Users of others build it themselves. */
const PLATFORMS = ['linux-x64'];

/**
 * Builds the reference plugin for this machine's platform into the package, unless it is already built from the same sources.
 * @returns the library's path; undefined on a platform without a prebuilt library
 */
export async function makePrebuilt(): Promise<string | undefined> {
  writeGeneratedSources();
  const sources = packagePath('plugins', 'reference');
  const platform = currentPlatform();
  if (!PLATFORMS.includes(platform)) return undefined;
  const directory = join(sources, 'prebuilt', platform);
  const [library, digestFile] = [join(directory, LIBRARY), join(directory, DIGEST_FILE)];
  const digest = await sourcesDigest(sources);
  if (existsSync(library) && existsSync(digestFile) && readFileSync(digestFile, 'utf8').trim() === digest)
    return library;
  rmSync(join(sources, 'prebuilt'), { recursive: true, force: true });
  const out = scratchDirectory('reference');
  try {
    execFileSync('sh', [join(sources, 'build.sh'), out, '--portable'], { stdio: ['ignore', 2, 2] });
    mkdirSync(directory, { recursive: true });
    copyFileSync(join(out, LIBRARY), library);
    writeFileSync(digestFile, `${digest}\n`);
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
  return library;
}
