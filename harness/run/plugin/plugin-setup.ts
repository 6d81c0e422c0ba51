import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { cacheDirectoryOf } from '../../base/cache-directory.ts';
import type { CommandEnvironment } from '../../base/environment.ts';
import { UsageError } from '../../base/usage-error.ts';
import { type AskedDeadlines, largest } from '../../host/deadlines.ts';
import type { DeviceOptions } from '../../host/devices/with-devices.ts';
import type { WatchedFile } from '../../host/files-watch.ts';
import { formatOptionArgument } from '../../host/plugins/options.ts';
import { type MayBuild, resolvePlugin } from '../../host/plugins/resolve.ts';
import type { WirePlugin } from '../../host/wire/protocol.ts';
import { buildIdOf } from '../../knowledge/binary/elf-build-id.ts';
import { ACCURACY_PROFILES, type AccuracyProfile } from '../../model/numeric-record.ts';
import type { Manifest, ResolvedPlugin } from '../../model/plugin.ts';
import type { PluginFacts } from '../../model/plugin-facts.ts';
import type { Positive } from '../../model/values.ts';
import { createFetchProgress } from './fetch-progress.ts';
import { type HostProcess, pythonOf } from './python-host.ts';
import { sanitizerEnv, sanitizersIn } from './sanitizer-setup.ts';
import type { TimeoutOptions } from './timeouts.ts';

/** Options that select plugins. */
interface PluginSource {
  /** Paths, names or manifests, as for `--plugin`. @minItems 1 */
  plugin: string[];
  /** Create options of the first plugin. */
  option?: string[];
  /** Whether a known plugin may be downloaded. */
  fetch: boolean;
  /** Whether any manifest may build its plugin, or fetch its package. Default: those of the package. */
  allowBuild?: boolean;
  /** Default: with a Python if the plugin needs one. */
  host?: HostProcess;
}

/** Options that select plugins and how they are used. */
export interface PluginOptions extends PluginSource, DeviceOptions, TimeoutOptions {
  workers?: Positive;
  /** Command of the shell that resets the devices after a worker has died. Default: that of the first plugin's manifest. */
  resetCommand?: string;
  binding: 'now' | 'lazy';
  numerics?: AccuracyProfile;
}

/** Finds, fetches or builds plugins; the same one again gets a number in its name. @throws PluginError, UsageError */
export async function resolveAll(
  options: PluginSource,
  environment: CommandEnvironment,
  build: MayBuild = options.allowBuild ? 'any' : 'known',
): Promise<ResolvedPlugin[]> {
  const progress = createFetchProgress(environment.stderr);
  const resolved: ResolvedPlugin[] = [];
  try {
    for (const [i, spec] of options.plugin.entries()) {
      const file = await resolvePlugin(spec, {
        cwd: environment.cwd,
        env: environment.env,
        cacheDir: cacheDirectoryOf(environment.env),
        // Create options apply only to the first plugin; they must never be sent to another.
        optionArgs: i === 0 ? (options.option ?? []) : [],
        fetch: options.fetch,
        build,
        onProgress: progress.update,
        signal: environment.signal,
      });
      const python = pythonOf(file, options.host);
      const plugin = { ...file, ...(python ? { python } : {}), sanitizers: sanitizersIn(file.library) };
      const twin = resolved.find((p) => p.name.toLowerCase() === plugin.name.toLowerCase());
      if (twin?.name === plugin.name && twin.sha256 === plugin.sha256) {
        const count = resolved.filter(({ sha256 }) => sha256 === plugin.sha256).length;
        resolved.push({ ...plugin, name: `${plugin.name}-${count + 1}` });
        continue;
      }
      if (twin) {
        throw new UsageError(
          `--plugin ${spec}: a plugin named ${plugin.name} is already loaded\n  ${twin.library}\n  ${plugin.library}\n` +
            'give one of them a different name, with a manifest or a file called pjrt-plugin-<name>.so',
          { options: ['plugin'] },
        );
      }
      resolved.push(plugin);
    }
  } finally {
    progress.done();
  }
  return resolved;
}

/** A plugin in the form that workers expect. */
export const wirePlugin = (plugin: ResolvedPlugin): WirePlugin => ({
  name: plugin.name,
  library: plugin.library,
  options: plugin.options,
  sha256: plugin.sha256,
  ...(plugin.manifest?.topology ? { topology: plugin.manifest.topology } : {}),
  ...(plugin.manifest?.compileOptions ? { compileOptions: plugin.manifest.compileOptions } : {}),
  ...(plugin.manifest?.declares ? { declares: plugin.manifest.declares } : {}),
  ...(plugin.manifest?.largeArrays ? { largeArrays: true } : {}),
  ...(plugin.manifest?.serial ? { serial: true } : {}),
  ...(plugin.manifest?.devices?.visibleBy ? { visibleBy: plugin.manifest.devices.visibleBy } : {}),
  ...(plugin.manifest?.platformName ? { platformName: plugin.manifest.platformName } : {}),
  ...(Object.keys(plugin.manifest?.knownOptions ?? {}).length > 0 ? { knownOptions: knownKinds(plugin) } : {}),
  ...countOption(plugin),
  ...(plugin.alone ? { alone: plugin.alone } : {}),
  ...(plugin.python ? { python: plugin.python } : {}),
});

/** The option that gives a case more devices; a number that was given already is what is wanted. */
function countOption({ manifest, options }: ResolvedPlugin): Pick<WirePlugin, 'deviceCount'> {
  const deviceCount = manifest?.devices?.count;
  return deviceCount === undefined || deviceCount in options ? {} : { deviceCount };
}

const knownKinds = (plugin: ResolvedPlugin): WirePlugin['knownOptions'] =>
  Object.fromEntries(Object.entries(plugin.manifest?.knownOptions ?? {}).map(([name, { kind }]) => [name, kind]));

/** Facts about a plugin before it is loaded. */
export function startFacts(plugin: ResolvedPlugin): PluginFacts {
  const buildId = buildIdOf(plugin.library);
  const options = Object.entries(plugin.options).map(([name, option]) => formatOptionArgument(name, option));
  return {
    name: plugin.name,
    path: plugin.library,
    sha256: plugin.sha256,
    sizeBytes: plugin.sizeBytes,
    ...(buildId === undefined ? {} : { buildId }),
    ...(plugin.manifest ? { manifest: plugin.manifest.name, manifestFile: manifestFile(plugin.manifest) } : {}),
    ...(options.length > 0 ? { options } : {}),
  };
}

const manifestFile = ({ file }: Manifest): PluginFacts['manifestFile'] => ({
  file,
  sha256: createHash('sha256').update(readFileSync(file)).digest('hex'),
});

/** The files that must stay as they are while plugins are tested. @param facts about them before they were loaded */
export const watchedFiles = (resolved: readonly ResolvedPlugin[], facts: readonly PluginFacts[]): WatchedFile[] => [
  ...resolved.map(({ library, sha256, identity }) => ({ path: library, sha256, identity, loaded: true })),
  ...facts.flatMap(({ manifestFile: of }) => (of ? [{ path: of.file, sha256: of.sha256 }] : [])),
];

/** Maximum number of workers of a plugin. */
export const workerCount = (
  options: Pick<PluginOptions, 'workers' | 'resetCommand'>,
  resolved: readonly ResolvedPlugin[],
): number =>
  options.workers ??
  (resolved.some((p) => p.manifest?.serial) || resetCommand(options, resolved) !== undefined
    ? 1
    : Math.min(4, availableParallelism()));

/** The command that resets the devices, of the user or of the first plugin's manifest. */
export const resetCommand = (
  options: Pick<PluginOptions, 'resetCommand'>,
  [first]: readonly ResolvedPlugin[],
): string | undefined => options.resetCommand ?? first?.manifest?.resetCommand;

/** A reset would end what other workers do on the devices. @throws UsageError */
export function checkReset(options: PluginOptions, resolved: readonly ResolvedPlugin[]): void {
  if (resetCommand(options, resolved) === undefined || (options.workers ?? 1) === 1) return;
  const which = options.resetCommand === undefined ? 'the `resetCommand` of the manifest' : '--reset-command';
  throw new UsageError(
    `--workers ${options.workers}: ${which} resets the devices after a death, which would end the cases of other workers; leave --workers out`,
    { options: ['workers'] },
  );
}

/** The largest of the user's and the manifests' requests. */
export const deadlines = (asked: AskedDeadlines, resolved: readonly ResolvedPlugin[]): AskedDeadlines =>
  largest(asked, ...resolved.map((p) => p.manifest?.deadlines ?? {}));

/**
 * The accuracy profile: from the command line, else the loosest of any manifest, else the default. A mustpass list has the
 * default, so that a manifest changes nothing of what a product has to pass.
 */
export function numericsOf(
  options: Pick<PluginOptions, 'numerics'> & { mustpass?: string },
  resolved: readonly ResolvedPlugin[],
): { profile: AccuracyProfile; from: 'default' | 'option' | 'manifest' } {
  if (options.mustpass !== undefined) return { profile: 'standard', from: 'default' };
  if (options.numerics) return { profile: options.numerics, from: 'option' };
  const named = resolved.map((p) => p.manifest?.numerics);
  const loosest = ACCURACY_PROFILES.findLast((profile) => named.includes(profile));
  return loosest ? { profile: loosest, from: 'manifest' } : { profile: 'standard', from: 'default' };
}

/**
 * The command's environment with the variables of the manifests, and those that sanitizers need.
 * @param log where these write
 */
export function workerEnv(
  env: NodeJS.ProcessEnv,
  resolved: readonly ResolvedPlugin[],
  log?: (sanitizer: string) => string,
): NodeJS.ProcessEnv {
  const all: NodeJS.ProcessEnv = { ...env, ...Object.assign({}, ...resolved.map((p) => p.env)) };
  const used = resolved.flatMap(({ sanitizers = [] }) => sanitizers);
  return { ...all, ...sanitizerEnv(all, used, log) };
}
