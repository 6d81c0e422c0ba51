import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { suggestion } from '../../base/did-you-mean.ts';
import type { Environment } from '../../base/environment.ts';
import { rememberSecrets } from '../../base/redact.ts';
import { isSecretVariable } from '../../base/secret-names.ts';
import type { Manifest, Options, PlatformKey, Recognition, ResolvedPlugin } from '../../model/plugin.ts';
import { buildPlugin } from './build-plugin.ts';
import { type FetchContext, fetchPackage } from './fetch-plugin.ts';
import { type KnownPlugins, pinnedHashes, shippedPlugins } from './known.ts';
import { checkLibraryFile, isFile, libraryHash } from './library-file.ts';
import { readManifest } from './manifest.ts';
import { coerceOption, parseOptionArguments } from './options.ts';
import { type ErrorPlace, PluginError } from './plugin-error.ts';
import {
  isManifestName,
  looksLikePath,
  pluginNameOf,
  siblingLibraries,
  splitNamedPath,
  stemOf,
} from './plugin-name.ts';
import { scanDirectory, searchPlugins } from './search-path.ts';
import { demandSupportedHost } from './supported-host.ts';

/** Whose manifests may build: nobody's, those of the package, or any, which the user allows. */
export type MayBuild = 'none' | 'known' | 'any';

/** Environment of a resolution; nothing is read from the process. */
export interface ResolveContext extends FetchContext {
  /** `--option name=value`, in order. */
  optionArgs: readonly string[];
  /** Whether a known plugin may be downloaded. */
  fetch: boolean;
  /** Default: `known`. A manifest of one's own may also fetch its package only if `any` may build. */
  build?: MayBuild | undefined;
  /** Default: the platform of this process. */
  platform?: PlatformKey;
  /** Default: the manifests in the package. */
  known?: KnownPlugins;
}

/** The platform key of this process. */
export const currentPlatform = (): PlatformKey => `${process.platform}-${process.arch}`;

/** A parsed spec, before anything is fetched or hashed. */
interface Target {
  name?: string;
  library?: string;
  manifest?: Manifest;
  foundBy: string;
}

const isDirectory = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() ?? false;

/** Where a spec is read: relative paths, and the variables of the search path. */
type Place = Pick<ResolveContext, 'cwd' | 'env'>;

const absolute = (path: string, context: Place): string => {
  const home = context.env.HOME;
  return resolve(context.cwd, home && path.startsWith('~/') ? home + path.slice(1) : path);
};

const fromManifest = async (file: string, foundBy: string): Promise<Target> => {
  const manifest = await readManifest(file);
  return { name: manifest.name, manifest, foundBy };
};

/** The option that names a plugin. */
const pluginPlace = (spec: string): ErrorPlace => ({ where: `--plugin ${spec}`, options: ['plugin'] });

/** A directory stands for the only plugin in it that follows the naming convention. */
const fromDirectory = async (directory: string, spec: string): Promise<Target> => {
  const inside = await scanDirectory(directory);
  const plugins = inside.filter(({ passedOver }) => passedOver === undefined);
  const [only] = plugins;
  if (plugins.length === 1 && only !== undefined) return fromFile(only.file, spec, only.name);
  const names = inside.map(({ file }) => basename(file)).slice(0, 8);
  const seen = names.length === 0 ? 'it contains no library' : `it holds ${names.join(', ')}`;
  const what = `${directory} is a directory with ${plugins.length} plugins named pjrt-plugin-<name>.so or .json, expected one (${seen})`;
  const parts = { ...pluginPlace(spec), what, advice: 'give the path of the library' };
  throw new PluginError('plugin-not-a-library', parts);
};

const fromFile = (file: string, spec: string, name?: string): Target | Promise<Target> => {
  if (isManifestName(file)) return fromManifest(file, `manifest ${file}`);
  return { name: name ?? pluginNameOf(basename(file)), library: file, foundBy: `--plugin ${spec}` };
};

/** `name=path`: a library or manifest under a name of the user's choice; a known name applies that manifest. */
const fromNamedPath = async (spec: string, context: Place, known: KnownPlugins): Promise<Target | undefined> => {
  const split = splitNamedPath(spec);
  if (split === undefined) return undefined;
  const { name, path } = split;
  const target = await fromPath(path, spec, context);
  const manifest = target.manifest ?? known.named(name);
  return { ...target, name, manifest };
};

const fromPath = async (path: string, spec: string, context: Place): Promise<Target> => {
  const file = absolute(path, context);
  return (await isDirectory(file)) ? fromDirectory(file, spec) : fromFile(file, spec);
};

const unknownName = (spec: string, names: readonly string[]): PluginError => {
  const message = `--plugin ${spec}: no plugin of this name${suggestion(spec, names) || '.'} Known: ${names.join(', ')}. A path needs a slash (./${spec}); PJRT_PLUGIN_LIBRARY_PATH adds names`;
  return new PluginError('plugin-unknown', message, undefined, { options: ['plugin'] });
};

/** A name: first on the search path, which is the user's, then among the known manifests. */
const fromName = async (spec: string, context: Place, known: KnownPlugins): Promise<Target> => {
  const wanted = spec.toLowerCase();
  const candidates = await searchPlugins(context.env, context.cwd);
  const usable = candidates.filter(({ passedOver, name }) => passedOver === undefined && name !== undefined);
  const manifest = known.named(spec);
  const hit = usable.find(({ name }) => name?.toLowerCase() === wanted);
  if (hit !== undefined) {
    const foundBy = `${hit.variable} entry ${hit.entry}`;
    if (hit.kind === 'manifest') return { ...(await fromManifest(hit.file, foundBy)), name: hit.name };
    return { name: hit.name, library: hit.file, manifest, foundBy };
  }
  if (manifest === undefined) {
    throw unknownName(spec, [...usable.map(({ name }) => name ?? ''), ...known.names()]);
  }
  return { name: manifest.name, manifest, foundBy: `known plugin ${manifest.name}` };
};

const targetOf = async (spec: string, context: Place, known: KnownPlugins): Promise<Target> => {
  if (spec === '') {
    const message = '--plugin is empty; expected a path, a name or a manifest';
    throw new PluginError('plugin-unknown', message, undefined, { options: ['plugin'] });
  }
  if (await isFile(absolute(spec, context))) return fromPath(spec, spec, context);
  const named = await fromNamedPath(spec, context, known);
  if (named !== undefined) return named;
  return looksLikePath(spec) ? fromPath(spec, spec, context) : fromName(spec, context, known);
};

/** Library named by a manifest or beside it; undefined if only its package, a build or the user can provide one. */
export const declaredLibrary = async (manifest: Manifest, platform: PlatformKey): Promise<string | undefined> => {
  if (manifest.library !== undefined) return resolve(dirname(manifest.file), manifest.library);
  for (const sibling of siblingLibraries(manifest.file, platform.split('-')[0] ?? '')) {
    if (await isFile(sibling)) return sibling;
  }
  return undefined;
};

/** What a manifest may not have done for it, and how to allow it. */
const notAllowed = (manifest: Manifest, what: string): PluginError =>
  new PluginError('build-off', {
    where: manifest.file,
    what: `${manifest.name} must be ${what} first, and only \`run\` and its like do that, if you allow it`,
    advice: `add --allow-build to \`run --plugin ${manifest.file}\` (or \`allow-build: true\` to pjrt-conformance.yaml) if you trust the manifest, or give the path of a library: --plugin ${manifest.name}=/path/to/library`,
    options: ['plugin'],
  });

/** Library of a manifest: named in it, beside it, in its package, or built from its sources. */
const libraryOf = async (manifest: Manifest, context: ResolveContext, known: KnownPlugins): Promise<string> => {
  const platform = context.platform ?? currentPlatform();
  const declared = await declaredLibrary(manifest, platform);
  if (declared !== undefined) return declared;
  const isKnown = known.named(manifest.name)?.file === manifest.file;
  const { build = 'known' } = context;
  if (manifest.package !== undefined) {
    const refused =
      isKnown || build === 'any' ? undefined : notAllowed(manifest, 'downloaded with your package installer');
    return fetchPackage(manifest.package, platform, context, refused);
  }
  if (manifest.build !== undefined) {
    const script = join(resolve(dirname(manifest.file), manifest.build.directory), 'build.sh');
    const permitted = build === 'any' || (build === 'known' && isKnown);
    return buildPlugin(
      manifest,
      manifest.build,
      platform,
      context,
      permitted ? undefined : notAllowed(manifest, `built with \`sh ${script}\``),
    );
  }
  const example = manifest.libraryNames[0] ?? `pjrt-plugin-${manifest.name}.so`;
  const notes = manifest.notes?.trim().replace(/^/gm, '  ');
  const message = `${manifest.file}: ${manifest.name}: this manifest has no library, package or build; give the path: --plugin ${manifest.name}=/path/to/${example}`;
  throw new PluginError('plugin-needs-path', message, notes, { options: ['plugin'] });
};

// biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholder as manifests write it.
const LIBRARY_DIR = '${LIBRARY_DIR}';

/**
 * Environment of the worker: the manifest's variables, except those that the user has set. A path beginning with
 * `${LIBRARY_DIR}` is only set if it exists, which is not the case beside a build from source.
 */
const environmentOf = async (
  manifest: Manifest | undefined,
  library: string,
  env: Environment,
): Promise<Record<string, string>> => {
  const set: Record<string, string> = {};
  for (const [name, value] of Object.entries(manifest?.env ?? {})) {
    if (env[name] !== undefined) continue;
    const expanded = value.replaceAll(LIBRARY_DIR, dirname(library));
    const absent = value.startsWith(LIBRARY_DIR) && (await stat(expanded).catch(() => undefined)) === undefined;
    if (!absent) set[name] = expanded;
  }
  return set;
};

const optionsOf = (manifest: Manifest | undefined, context: ResolveContext): Options => {
  const known = manifest?.knownOptions ?? {};
  const written = { ...manifest?.options, ...parseOptionArguments(context.optionArgs, known) };
  return Object.fromEntries(
    Object.entries(written).map(([name, option]) => [name, coerceOption(option, known[name])] as const),
  );
};

const warningsOf = (
  manifest: Manifest | undefined,
  by: Recognition | undefined,
  exact: boolean,
  options: Options,
): string[] => {
  const warnings: string[] = [];
  if (manifest?.package && !exact) {
    const { name, version } = manifest.package;
    warnings.push(
      `not the build that the manifest ${manifest.name} pins (${name} ${version}; recognised by its ${by}): ` +
        'its environment, options and deadlines apply, its known deviations do not',
    );
  }
  const known = Object.keys(manifest?.knownOptions ?? {});
  for (const name of known.length > 0 ? Object.keys(options) : []) {
    if (known.includes(name)) continue;
    warnings.push(`the manifest ${manifest?.name} does not know the create option "${name}"${suggestion(name, known)}`);
  }
  return warnings;
};

/** Checks that a spec names a plugin, and that the file which it names is there. Fetches and builds nothing. Throws PluginError. */
export const checkPluginSpec = async (spec: string, context: Place): Promise<void> => {
  const { library, manifest, foundBy } = await targetOf(spec, context, await shippedPlugins());
  if (library !== undefined) await checkLibraryFile(library, pluginPlace(spec));
  const declared = library === undefined && manifest && (await declaredLibrary(manifest, currentPlatform()));
  if (declared) await checkLibraryFile(declared, { where: foundBy });
};

/**
 * Resolves the value of `--plugin` to a library and how to use it. In this order, a spec is: an existing file; `name=path`; a
 * path (with a slash, or the suffix of a library or manifest); a name on PJRT_PLUGIN_LIBRARY_PATH, then on
 * PJRT_NAMES_AND_LIBRARY_PATHS, then a known one. Create options: manifest, then `--option`. Throws PluginError.
 */
export const resolvePlugin = async (spec: string, context: ResolveContext): Promise<ResolvedPlugin> => {
  demandSupportedHost(context.platform ?? currentPlatform());
  const known = context.known ?? (await shippedPlugins());
  const target = await targetOf(spec, context, known);
  // Reports a mistyped option before anything is fetched.
  parseOptionArguments(context.optionArgs, target.manifest?.knownOptions);
  const path = target.library ?? (target.manifest && (await libraryOf(target.manifest, context, known)));
  const place = target.library === undefined ? { where: target.foundBy } : pluginPlace(spec);
  const file = await checkLibraryFile(path ?? '', place);
  const sha256 = await libraryHash(file, context.cacheDir, context.onProgress);

  const recognised = known.recognise(file.path, sha256);
  // A manifest that the user named takes precedence; only the hash of the build is more specific than its name.
  const manifest = target.manifest ?? recognised?.manifest;
  const pins = manifest === undefined ? [] : pinnedHashes(manifest);
  const exact = pins.includes(sha256);
  const by: Recognition | undefined = exact ? 'sha256' : target.manifest ? 'name' : recognised?.by;
  const options = optionsOf(manifest, context);
  const env = await environmentOf(manifest, file.path, context.env);
  const values = Object.fromEntries(Object.entries(options).map(([name, { value }]) => [name, String(value)]));
  rememberSecrets({ ...env, ...values }, [], isSecretVariable);
  return {
    name: target.name ?? recognised?.manifest.name ?? stemOf(basename(file.path)),
    library: file.path,
    foundBy: target.foundBy,
    manifest: manifest && pins.length > 0 && !exact ? { ...manifest, deviations: [] } : manifest,
    recognisedBy: by,
    options,
    env,
    sha256,
    identity: file.identity,
    sizeBytes: file.sizeBytes,
    warnings: warningsOf(manifest, by, exact, options),
  };
};
