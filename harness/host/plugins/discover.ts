import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { asJson } from '../../base/as-json.ts';
import { cacheDirectoryOf } from '../../base/cache-directory.ts';
import type { Environment } from '../../base/environment.ts';
import { textTable } from '../../base/text-table.ts';
import type { Manifest, PlatformKey } from '../../model/plugin.ts';
import { builtLibrary } from './build-plugin.ts';
import { cachedLibraryPath, isCached } from './fetch-plugin.ts';
import { readKnownManifests } from './known.ts';
import { checkLibraryFile } from './library-file.ts';
import { readManifest } from './manifest.ts';
import { messageOf, PluginError } from './plugin-error.ts';
import { isLibraryName } from './plugin-name.ts';
import { currentPlatform, declaredLibrary } from './resolve.ts';
import { type SearchVariable, searchPlugins } from './search-path.ts';

/** Where a plugin was found. `python`: an active virtual environment; listed, but only used by path. */
type DiscoverySource = SearchVariable | 'known' | 'python';

/**
 * `usable`: `--plugin <name>` works now. `fetchable`: it is downloaded first. `buildable`: it is compiled first.
 * `needs-path`: known, but the user must provide the library. `ignored`: not used, see `reason`.
 */
type DiscoveryStatus = 'usable' | 'fetchable' | 'buildable' | 'needs-path' | 'ignored';

/** One discovered plugin, in search order. */
export interface Discovered {
  source: DiscoverySource;
  /** Entry of the variable, manifest file or directory where it was found. */
  where: string;
  name?: string;
  library?: string;
  status: DiscoveryStatus;
  description?: string;
  reason?: string;
}

/** Environment of the discovery. */
interface DiscoverContext {
  cacheDir?: string;
  platform?: PlatformKey;
  known?: readonly Manifest[];
}

/** An empty file is an interrupted build or download, not a plugin. */
const checkLibrary = async (path: string, where: string): Promise<void> => {
  const { sizeBytes } = await checkLibraryFile(path, { where });
  if (sizeBytes === 0)
    throw new PluginError('plugin-not-a-library', { where, what: `${path} is empty, expected a shared library` });
};

const discoverSearched = async (env: Environment, cwd: string, platform: PlatformKey): Promise<Discovered[]> => {
  const candidates = await searchPlugins(env, cwd);
  return Promise.all(
    candidates.map(async ({ variable, entry, file, name, kind, passedOver }): Promise<Discovered> => {
      const found = { source: variable, where: entry, name, library: file } as const;
      if (passedOver !== undefined) return { ...found, status: 'ignored', reason: passedOver };
      try {
        if (kind !== 'manifest') {
          await checkLibrary(file, variable);
          return { ...found, status: 'usable' };
        }
        const manifest = await readManifest(file);
        const library = await declaredLibrary(manifest, platform);
        const { description } = manifest;
        if (library !== undefined) {
          await checkLibrary(library, file);
          return { ...found, library, description, status: 'usable' };
        }
        if (manifest.package) return { ...found, description, status: 'fetchable' };
        if (manifest.build) return { ...found, description, status: 'buildable' };
        return { ...found, description, status: 'needs-path', reason: 'it names neither a library nor a package' };
      } catch (error) {
        return { ...found, status: 'ignored', reason: messageOf(error) };
      }
    }),
  );
};

const discoverKnown = async (
  manifest: Manifest,
  taken: ReadonlyMap<string, string>,
  env: Environment,
  cwd: string,
  cacheDir: string,
  platform: PlatformKey,
): Promise<Discovered> => {
  const { name, description, file: where } = manifest;
  const found = { source: 'known', where, name, description } as const;
  const shadow = taken.get(name.toLowerCase());
  if (shadow !== undefined) return { ...found, status: 'ignored', reason: `the name is taken by ${shadow}` };
  if (manifest.build !== undefined) {
    const library = await builtLibrary(manifest, manifest.build, platform, { env, cacheDir });
    if (library !== undefined) return { ...found, library, status: 'usable' };
    return { ...found, status: 'buildable', reason: 'compiled on first use, with your C++ compiler' };
  }
  if (manifest.package === undefined) {
    const example = manifest.libraryNames[0] ?? 'library.so';
    return { ...found, status: 'needs-path', reason: `give the library: --plugin ${name}=/path/to/${example}` };
  }
  const library = manifest.package.platforms[platform];
  if (library === undefined) {
    return { ...found, status: 'needs-path', reason: `${manifest.package.name} has no known build for ${platform}` };
  }
  const path = cachedLibraryPath(cacheDir, manifest.package, platform, library);
  const cached = await isCached(path, library, { cwd, env, cacheDir });
  if (cached) return { ...found, library: path, status: 'usable' };
  const megabytes = library.wheelBytes === undefined ? '' : `, ${Math.round(library.wheelBytes / 1e6)} MB`;
  const reason = `not in the cache; fetched on first use (${manifest.package.name} ${manifest.package.version}${megabytes})`;
  return { ...found, status: 'fetchable', reason };
};

/** Python packages known to contain plugins, in the active virtual environment; without running Python. */
const discoverPython = async (env: Environment): Promise<Discovered[]> => {
  const prefix = env.VIRTUAL_ENV ?? env.CONDA_PREFIX;
  if (!prefix) return [];
  const list = (directory: string): Promise<string[]> => readdir(directory).catch(() => []);
  const found: Discovered[] = [];
  for (const python of (await list(join(prefix, 'lib'))).filter((name) => /^python3\.\d+$/.test(name))) {
    const site = join(prefix, 'lib', python, 'site-packages');
    const directories = [join(site, 'libtpu'), join(site, 'libneuronxla'), join(site, 'pjrt_plugin_tt')];
    for (const parent of ['jax_plugins', 'xla_plugins'].map((name) => join(site, name))) {
      directories.push(...(await list(parent)).map((name) => join(parent, name)));
    }
    for (const directory of directories) {
      for (const file of (await list(directory)).filter(
        (name) => isLibraryName(name) && /pjrt|plugin|libtpu/.test(name),
      )) {
        const library = join(directory, file);
        const reason = `used by path only: --plugin ${library}`;
        found.push({ source: 'python', where: directory, library, status: 'ignored', reason });
      }
    }
  }
  return found;
};

/** Every plugin that can be named here, in search order, and why files are skipped. */
export const discover = async (
  env: Environment = process.env,
  cwd: string = process.cwd(),
  context: DiscoverContext = {},
): Promise<Discovered[]> => {
  const cacheDir = context.cacheDir ?? cacheDirectoryOf(env);
  const platform = context.platform ?? currentPlatform();
  const searched = await discoverSearched(env, cwd, platform);
  const taken = new Map(
    searched
      .filter(({ status }) => status !== 'ignored')
      .map(({ name, source, where }) => [name?.toLowerCase() ?? '', `${source} entry ${where}`] as const),
  );
  const known: Discovered[] = [];
  for (const manifest of context.known ?? (await readKnownManifests())) {
    known.push(await discoverKnown(manifest, taken, env, cwd, cacheDir, platform));
  }
  return [...searched, ...known, ...(await discoverPython(env))];
};

const HEADINGS: Record<DiscoverySource, string> = {
  PJRT_PLUGIN_LIBRARY_PATH: 'PJRT_PLUGIN_LIBRARY_PATH',
  PJRT_NAMES_AND_LIBRARY_PATHS: 'PJRT_NAMES_AND_LIBRARY_PATHS',
  known: 'Known plugins',
  python: 'Active Python environment',
};

const linesOf = ({ name, status, library, description, reason }: Discovered): string[] => {
  const lines = [description, library, reason].filter((line) => line !== undefined);
  const rows = (lines.length > 0 ? lines : ['']).map((line, at) =>
    at === 0 ? [name ?? '-', status, line] : ['', '', line],
  );
  return textTable(rows, { indent: '  ', gap: ' ', atLeast: [14, 11] });
};

/** The listing as text, in search order. */
export const formatDiscovery = (found: readonly Discovered[]): string => {
  const lines: string[] = [];
  for (const source of Object.keys(HEADINGS) as DiscoverySource[]) {
    const here = found.filter((item) => item.source === source);
    if (here.length > 0) lines.push(`${HEADINGS[source]}:`, ...here.flatMap(linesOf));
  }
  return `${lines.join('\n')}\n`;
};

/** The listing as JSON. */
export const formatDiscoveryJson = (found: readonly Discovered[]): string => asJson({ plugins: found });
