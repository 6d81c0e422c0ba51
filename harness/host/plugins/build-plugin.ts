import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Environment } from '../../base/environment.ts';
import { makeDirectory } from '../../base/make-directory.ts';
import { systemReason } from '../../base/system-reason.ts';
import type { Manifest, PlatformKey, PluginSources } from '../../model/plugin.ts';
import type { FetchContext } from './fetch-plugin.ts';
import { runCommand } from './installer.ts';
import { libcName } from './libc-name.ts';
import { isFile } from './library-file.ts';
import { PluginError } from './plugin-error.ts';
import { makeStaging } from './staging.ts';

/** Exit code of build.sh without a compiler. */
const NO_COMPILER = 3;

/** Beside a prebuilt library: the digest of the sources that it was built from. */
export const DIGEST_FILE = 'sources.sha256';

interface SourceFile {
  /** Relative to the directory, with slashes. */
  name: string;
  bytes: Buffer;
}

/** The files that a build reads, without tests and build outputs. */
const sourceFiles = async (directory: string): Promise<SourceFile[]> => {
  const names = (await readdir(directory, { withFileTypes: true, recursive: true }))
    .filter((entry) => entry.isFile() && /\.(cc|h|inc|sh)$/.test(entry.name))
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((name) => !/^(tests|prebuilt)\//.test(name))
    .sort();
  return Promise.all(names.map(async (name) => ({ name, bytes: await readFile(join(directory, name)) })));
};

const digestOf = (files: readonly SourceFile[]): string => {
  const hash = createHash('sha256');
  for (const { name, bytes } of files) hash.update(`${name}\0${bytes.length}\0`).update(bytes);
  return hash.digest('hex');
};

/** SHA-256 of the names and contents of the sources in a directory. */
export const sourcesDigest = async (directory: string): Promise<string> => digestOf(await sourceFiles(directory));

/** Where a library built from the current sources is, and what a build would need. */
interface BuildState {
  library?: string;
  directory: string;
  files: SourceFile[];
  target: string;
}

/** A library built on glibc does not load with another C library. */
const hasGlibc = (): boolean => libcName()?.startsWith('glibc ') ?? false;

const stateOf = async (
  manifest: Manifest,
  build: PluginSources,
  platform: PlatformKey,
  { env, cacheDir }: { env: Environment; cacheDir: string },
): Promise<BuildState> => {
  const directory = resolve(dirname(manifest.file), build.directory);
  const files = await sourceFiles(directory).catch((error: unknown) => {
    throw new PluginError(
      'plugin-not-found',
      `${manifest.file}: build.directory: cannot be read: ${systemReason(error)}`,
    );
  });
  const digest = digestOf(files);
  // A custom compiler or flags require a build of their own.
  const settings = [env.CXX ?? '', env.CXXFLAGS ?? ''];
  const chosen = settings.some((text) => text !== '');
  const key = chosen
    ? createHash('sha256')
        .update([digest, ...settings].join('\0'))
        .digest('hex')
    : digest;
  const target = join(cacheDir, 'built', manifest.name, `${platform}-${key.slice(0, 16)}`, build.library);
  const prebuilt = join(directory, 'prebuilt', platform);
  const fits = chosen ? '' : (await readFile(join(prebuilt, DIGEST_FILE), 'utf8').catch(() => '')).trim();
  const candidates = fits === digest && (!platform.startsWith('linux') || hasGlibc()) ? [prebuilt] : [];
  for (const candidate of [...candidates.map((place) => join(place, build.library)), target]) {
    if (await isFile(candidate)) return { library: candidate, directory, files, target };
  }
  return { directory, files, target };
};

/** Variables of compilers and the tools around them; what a build needs of a machine and a network. */
const OF_BUILDS =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|JOBS|(?:https?|ftp|all|no)_proxy|(?:SSL_CERT|CURL_CA|REQUESTS_CA|GIT_SSL)\w*|CC|CXX|CPP|LD|AR|AS|NM|RANLIB|STRIP|\w*FLAGS|CPATH|\w*INCLUDE_PATH|(?:LD_)?LIBRARY_PATH|COMPILER_PATH|GCC_EXEC_PREFIX|PKG_CONFIG\w*|CCACHE_\w+|CMAKE_\w+|NIX_\w+|SDKROOT|DEVELOPER_DIR|MACOSX_DEPLOYMENT_TARGET|SOURCE_DATE_EPOCH|SystemRoot|PATHEXT|ComSpec)$/i;

/** The environment of a build: nothing that a CI job or a shell has beside what builds need and the manifest names. */
function buildEnvironment(env: Environment, manifest: Manifest): Environment {
  const named = new Set([...Object.keys(manifest.env), ...manifest.environment.map(({ name }) => name)]);
  return Object.fromEntries(Object.entries(env).filter(([name]) => OF_BUILDS.test(name) || named.has(name)));
}

/** The library of a manifest's sources if it needs no build: shipped with them, or built before. */
export const builtLibrary = async (
  manifest: Manifest,
  build: PluginSources,
  platform: PlatformKey,
  context: { env: Environment; cacheDir: string },
): Promise<string | undefined> => (await stateOf(manifest, build, platform, context)).library;

const failure = (manifest: Manifest, directory: string, code: number | undefined, output: string): PluginError => {
  const advice = `or give the path of a library: --plugin ${manifest.name}=/path/to/library`;
  if (code === NO_COMPILER || code === undefined) {
    const message = `${manifest.name} must be built from source in ${directory} first, and there is no C++ compiler: install g++ or clang++ (with C++17; Debian and Ubuntu: apt install g++) or name one in CXX, ${advice}`;
    return new PluginError('no-compiler', message, undefined, { options: ['plugin'] });
  }
  const message = `${manifest.name} could not be built from source in ${directory}; see the compiler's output, ${advice}`;
  const tail = output.trim().split('\n').slice(-12).join('\n');
  return new PluginError('build-failed', message, tail, { options: ['plugin'] });
};

/**
 * Path of the library of a manifest's sources: shipped with them, built before, or built now into the cache by build.sh, in a
 * directory of its own that is renamed into place so that concurrent runs are safe.
 * @param refused thrown instead of building
 */
export const buildPlugin = async (
  manifest: Manifest,
  build: PluginSources,
  platform: PlatformKey,
  context: FetchContext,
  refused?: PluginError,
): Promise<string> => {
  const { library, directory, files, target } = await stateOf(manifest, build, platform, context);
  if (library !== undefined) return library;
  if (!files.some(({ name }) => name === 'build.sh')) {
    throw new PluginError('plugin-not-found', `${manifest.file}: build: there is no build.sh in ${directory}`);
  }
  if (refused) throw refused;
  const sources = new Map(files.filter(({ name }) => name.endsWith('.cc')).map((f) => [f.name, f.bytes.length]));
  const totalBytes = [...sources.values()].reduce((sum, bytes) => sum + bytes, 0);
  let doneBytes = 0;
  const report = (): void => context.onProgress?.({ phase: 'build', what: manifest.name, doneBytes, totalBytes });
  report();
  const onText = (text: string): void => {
    for (const [, name = ''] of text.matchAll(/^compile (.+)$/gm)) doneBytes += sources.get(name) ?? 0;
    report();
  };
  const staging = await makeStaging(context.cacheDir);
  try {
    const { env, cwd, signal } = context;
    const script = join(directory, 'build.sh');
    const { code, output } = await runCommand(
      'sh',
      [script, staging],
      buildEnvironment(env, manifest),
      cwd,
      signal,
      onText,
    );
    const built = join(staging, build.library);
    if (code !== 0 || !(await isFile(built))) throw failure(manifest, directory, code, output);
    makeDirectory(dirname(target));
    await rename(built, target);
    return target;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
};
