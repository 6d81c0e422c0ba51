import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../harness/base/paths.ts';
import { scratchDirectory } from '../../harness/base/scratch.ts';
import { DIGEST_FILE, sourcesDigest } from '../../harness/host/plugins/build-plugin.ts';
import { currentPlatform } from '../../harness/host/plugins/resolve.ts';
import { writeGeneratedSources } from './generated-sources.ts';

const LIBRARY = 'pjrt-plugin-reference.so';

/** Platforms for which build.sh makes a library for any glibc. */
const PLATFORMS = ['linux-x64'];

const SOURCES = packagePath('plugins', 'reference');

/** The libraries below a directory that were built from these sources, by platform. */
function current(directory: string, digest: string): string[] {
  const isCurrent = (platform: string): boolean => {
    const file = join(directory, platform, DIGEST_FILE);
    return existsSync(file) && readFileSync(file, 'utf8').trim() === digest;
  };
  return existsSync(directory) ? readdirSync(directory).filter(isCurrent).sort() : [];
}

/**
 * Builds the reference plugin for this machine's platform into the package, unless it is already built from the same sources.
 * @returns the library's path; undefined on a platform without a prebuilt library
 */
export async function makePrebuilt(): Promise<string | undefined> {
  writeGeneratedSources();
  const platform = currentPlatform();
  if (!PLATFORMS.includes(platform)) return undefined;
  const directory = join(SOURCES, 'prebuilt', platform);
  const library = join(directory, LIBRARY);
  const digest = await sourcesDigest(SOURCES);
  if (current(join(SOURCES, 'prebuilt'), digest).includes(platform) && existsSync(library)) return library;
  const out = scratchDirectory('reference');
  try {
    execFileSync('sh', [join(SOURCES, 'build.sh'), out, '--portable'], { stdio: ['ignore', 2, 2] });
    mkdirSync(directory, { recursive: true });
    copyFileSync(join(out, LIBRARY), library);
    writeFileSync(join(directory, DIGEST_FILE), `${digest}\n`);
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
  return library;
}

/**
 * What is in a package without compiling anything: libraries that were built from these sources, here or on machines of other
 * platforms. Stale ones are removed.
 * @param from directory with a directory for each platform, as `prebuilt` has
 * @returns the platforms
 */
export async function takePrebuilts(from?: string, sources: string = SOURCES): Promise<string[]> {
  const digest = await sourcesDigest(sources);
  const into = join(sources, 'prebuilt');
  const offered = from === undefined ? [] : current(from, digest);
  for (const platform of offered) cpSync(join(from!, platform), join(into, platform), { recursive: true });
  const kept = current(into, digest);
  for (const other of existsSync(into) ? readdirSync(into) : [])
    if (!kept.includes(other)) rmSync(join(into, other), { recursive: true });
  return kept;
}
