import { readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Environment } from '../../base/environment.ts';
import { makeDirectory } from '../../base/make-directory.ts';
import type { OnProgress, PlatformKey, PlatformLibrary, PluginPackage } from '../../model/plugin.ts';
import { rememberHash } from './hash-cache.ts';
import {
  availableInstallers,
  bytesUnder,
  classifyFailure,
  INSTALLERS,
  type Installer,
  runCommand,
} from './installer.ts';
import { checkLibraryFile, hashFile, libraryHash } from './library-file.ts';
import { PluginError } from './plugin-error.ts';
import { makeStaging } from './staging.ts';

/** Environment of a fetch. */
export interface FetchContext {
  cwd: string;
  env: Environment;
  cacheDir: string;
  onProgress?: OnProgress;
  signal?: AbortSignal;
}

/** Cached path of a package's library. Its hash is part of the path, so that a changed pin never finds an old file. */
export const cachedLibraryPath = (
  cacheDir: string,
  of: PluginPackage,
  platform: PlatformKey,
  library: PlatformLibrary,
): string =>
  join(
    cacheDir,
    'plugins',
    of.name,
    of.version,
    `${platform}-${library.sha256.slice(0, 12)}`,
    basename(library.library),
  );

const POLL_MS = 250;

/** Runs one installer and returns the wheel or the installed library; undefined with the reason if it failed. */
const bring = async (
  installer: Installer,
  of: PluginPackage,
  library: PlatformLibrary,
  directory: string,
  context: FetchContext,
): Promise<{ wheel?: string; installed?: string; failure?: string }> => {
  const target = join(directory, 'package');
  const temporary = join(directory, 'temporary');
  makeDirectory(target);
  makeDirectory(temporary);
  const report = async (): Promise<void> => {
    const doneBytes = await bytesUnder(directory);
    context.onProgress?.({
      phase: 'download',
      what: `${of.name} ${of.version}`,
      doneBytes: Math.min(doneBytes, library.wheelBytes ?? doneBytes),
      totalBytes: library.wheelBytes,
    });
  };
  await report();
  const timer = setInterval(() => void report(), POLL_MS);
  try {
    // The installer's temporary files are in our directory: their growth is the progress, and they are removed with it.
    const env = { ...context.env, TMPDIR: temporary, TMP: temporary, TEMP: temporary };
    const args = installer.fetch(of, library, target);
    const { code, output } = await runCommand(installer.command, args, env, context.cwd, context.signal);
    if (code !== 0) return { failure: output };
  } finally {
    clearInterval(timer);
  }
  const wheel = (await readdir(target)).find((name) => name.endsWith('.whl'));
  if (wheel !== undefined) return { wheel: join(target, wheel) };
  const installed = join(target, ...library.library.split('/'));
  const there = await stat(installed).catch(() => undefined);
  return there?.isFile() ? { installed } : { failure: `it succeeded, but there is no ${library.library}` };
};

const lastLines = (output: string): string => output.trim().split('\n').slice(-8).join('\n');

const failureOf = (
  of: PluginPackage,
  library: PlatformLibrary,
  failures: { label: string; output: string }[],
): PluginError => {
  const package_ = `${of.name}==${of.version}`;
  const kinds = failures.map(({ output }) => classifyFailure(output));
  const code =
    kinds.find((kind) => kind === 'no-network') ?? kinds.find((kind) => kind === 'no-wheel') ?? 'fetch-failed';
  const tried = failures.map(({ label }) => label).join(', ');
  const detail = failures.map(({ label, output }) => `${label}:\n${lastLines(output)}`).join('\n');
  const advice = `or download ${library.wheel} yourself, unpack it and give the path of ${basename(library.library)}`;
  const reason = {
    'no-network': `the package index cannot be reached; check the network and the index settings of pip or uv, ${advice}`,
    'no-wheel': `no wheel ${library.wheel} was found; check the index settings of pip or uv, ${advice}`,
    'fetch-failed': `the installer failed; see its output, ${advice}`,
  }[code];
  return new PluginError(code, `cannot fetch ${package_} (tried ${tried}): ${reason}`, detail);
};

const mismatch = (what: string, expected: string, got: string): PluginError =>
  new PluginError(
    'hash-mismatch',
    `${what} is not the library that the manifest pins: expected sha256 ${expected}, got ${got}; it was deleted`,
  );

/** Fetches the package into staging, verifies its library and moves it to `target`. */
const fetchTo = async (
  target: string,
  of: PluginPackage,
  library: PlatformLibrary,
  context: FetchContext,
): Promise<void> => {
  const installers = await availableInstallers(context.env, context.cwd);
  if (installers.length === 0) {
    const searched = INSTALLERS.map(({ label }) => label).join(', ');
    const message = `cannot fetch ${of.name}==${of.version}: neither pip nor uv was found (looked for ${searched}); install one, or give the path of ${basename(library.library)}`;
    throw new PluginError('no-installer', message);
  }
  const staging = await makeStaging(context.cacheDir);
  try {
    const failures: { label: string; output: string }[] = [];
    for (const [index, installer] of installers.entries()) {
      const { wheel, installed, failure } = await bring(installer, of, library, join(staging, String(index)), context);
      if (failure !== undefined) {
        failures.push({ label: installer.label, output: failure });
        continue;
      }
      const staged = join(staging, 'library');
      let sha256: string;
      if (wheel !== undefined) {
        const { unpackOne } = await import('./unpack.ts');
        sha256 = await unpackOne(wheel, library.library, staged, library.sizeBytes, context.onProgress);
      } else {
        await rename(installed ?? '', staged);
        sha256 = await hashFile(staged, library.sizeBytes, context.onProgress);
      }
      if (sha256 !== library.sha256) {
        throw mismatch(`${library.library} of ${of.name}==${of.version}`, library.sha256, sha256);
      }
      makeDirectory(dirname(target));
      await rename(staged, target);
      return;
    }
    throw failureOf(of, library, failures);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
};

/** Whether the pinned library is in the cache and still matches; known hashes are not computed again. */
export const isCached = async (target: string, library: PlatformLibrary, context: FetchContext): Promise<boolean> => {
  const there = await stat(target).catch(() => undefined);
  if (there?.size !== library.sizeBytes) return false;
  const file = await checkLibraryFile(target, { where: 'cache' });
  return (await libraryHash(file, context.cacheDir, context.onProgress)) === library.sha256;
};

/**
 * Path of a package's library: cached, or fetched into the cache. Concurrent runs are safe: each works in its own directory,
 * and the verified file is renamed into place. A damaged cache entry is replaced.
 * @param refused thrown instead of fetching
 */
export const fetchPackage = async (
  of: PluginPackage,
  platform: PlatformKey,
  context: FetchContext & { fetch: boolean },
  refused?: PluginError,
): Promise<string> => {
  const library = of.platforms[platform];
  if (library === undefined) {
    const known = Object.keys(of.platforms).join(', ');
    const message = `${of.name}==${of.version} has no known build for ${platform} (there is one for ${known}); give the path of a library`;
    throw new PluginError('no-wheel', message);
  }
  const target = cachedLibraryPath(context.cacheDir, of, platform, library);
  if (await isCached(target, library, context)) return target;
  if (!context.fetch) {
    const message = `${of.name}==${of.version} is not in the cache (${target}) and fetching is off; allow it, or give the path of ${basename(library.library)}`;
    throw new PluginError('fetch-off', message);
  }
  if (refused) throw refused;
  await fetchTo(target, of, library, context);
  // Verified while it was unpacked: not read a second time.
  rememberHash(context.cacheDir, (await checkLibraryFile(target, { where: 'cache' })).identity, library.sha256);
  return target;
};
