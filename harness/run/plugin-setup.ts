import { closeSync, openSync, readSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { buildIdOf } from '../binary/elf-build-id.ts';
import { type AskedDeadlines, largest } from '../host/deadlines.ts';
import { ACCURACY_PROFILES, type AccuracyProfile } from '../model/numeric-record.ts';
import type { PluginFacts, PluginFailure } from '../model/plugin-facts.ts';
import { cacheDirOf } from '../plugins/cache.ts';
import { formatOptionArgument } from '../plugins/options.ts';
import { resolvePlugin } from '../plugins/resolve.ts';
import type { ResolvedPlugin } from '../plugins/types.ts';
import type { Surroundings } from '../surroundings.ts';
import { UsageError } from '../usage-error.ts';
import type { WirePlugin } from '../wire/protocol.ts';
import { createFetchProgress } from './fetch-progress.ts';
import { loadHint } from './load-hint.ts';
import type { TimeoutOptions } from './timeouts.ts';

/** Options that say which plugins are used. */
export interface PluginSource {
  /** Paths, names or manifests, as `--plugin` takes them. */
  plugin: string[];
  /** Create options of the first one. */
  option?: string[];
  /** Whether a known plugin may be downloaded. */
  fetch: boolean;
}

/** Options that say which plugins are used, and how. */
export interface PluginOptions extends PluginSource, TimeoutOptions {
  workers?: number;
  binding: 'now' | 'lazy';
  numerics?: AccuracyProfile;
}

/** Finds, fetches or builds plugins. @throws PluginError, UsageError */
export async function resolveAll(options: PluginSource, around: Surroundings): Promise<ResolvedPlugin[]> {
  const progress = createFetchProgress(around.stderr);
  const resolved: ResolvedPlugin[] = [];
  try {
    for (const [i, spec] of options.plugin.entries()) {
      const plugin = await resolvePlugin(spec, {
        cwd: around.cwd,
        env: around.env,
        cacheDir: cacheDirOf(around.env),
        // Options go to the first plugin only: one plugin's options must never reach another.
        optionArgs: i === 0 ? (options.option ?? []) : [],
        fetch: options.fetch,
        onProgress: progress.update,
        signal: around.signal,
      });
      const twin = resolved.find((p) => p.name.toLowerCase() === plugin.name.toLowerCase());
      if (twin) {
        throw new UsageError(
          `--plugin ${spec}: a plugin named ${plugin.name} is already loaded\n  ${twin.library}\n  ${plugin.library}\n` +
            'give one of them a different name, with a manifest or a file called pjrt-plugin-<name>.so',
        );
      }
      resolved.push(plugin);
    }
  } finally {
    progress.done();
  }
  return resolved;
}

/** A plugin as a worker needs it. */
export const wirePlugin = (plugin: ResolvedPlugin): WirePlugin => ({
  name: plugin.name,
  library: plugin.library,
  options: plugin.options,
  ...(plugin.manifest?.topology ? { topology: plugin.manifest.topology } : {}),
  ...(plugin.manifest?.compileOptions ? { compileOptions: plugin.manifest.compileOptions } : {}),
  ...(plugin.manifest?.declares ? { declares: plugin.manifest.declares } : {}),
  ...(plugin.manifest?.platformName ? { platformName: plugin.manifest.platformName } : {}),
  ...(Object.keys(plugin.manifest?.knownOptions ?? {}).length > 0 ? { knownOptions: knownKinds(plugin) } : {}),
});

const knownKinds = (plugin: ResolvedPlugin): WirePlugin['knownOptions'] =>
  Object.fromEntries(Object.entries(plugin.manifest?.knownOptions ?? {}).map(([name, { kind }]) => [name, kind]));

/** What is known of a plugin before it is loaded. */
export function startFacts(plugin: ResolvedPlugin): PluginFacts {
  const buildId = buildIdOf(plugin.library);
  const options = Object.entries(plugin.options).map(([name, option]) => formatOptionArgument(name, option));
  return {
    name: plugin.name,
    path: plugin.library,
    sha256: plugin.sha256,
    sizeBytes: plugin.sizeBytes,
    ...(buildId === undefined ? {} : { buildId }),
    ...(plugin.manifest ? { manifest: plugin.manifest.name } : {}),
    ...(options.length > 0 ? { options } : {}),
  };
}

/** How many workers a plugin may have. */
export const workerCount = (options: Pick<PluginOptions, 'workers'>, resolved: readonly ResolvedPlugin[]): number =>
  options.workers ?? (resolved.some((p) => p.manifest?.serial) ? 1 : Math.min(4, availableParallelism()));

/** The largest of what the user and the manifests ask for. */
export const deadlines = (asked: AskedDeadlines, resolved: readonly ResolvedPlugin[]): AskedDeadlines =>
  largest(asked, ...resolved.map((p) => p.manifest?.deadlines ?? {}));

/** The accuracy profile: from the command line, the loosest that a manifest names, and the default, in this order. */
export function numericsOf(
  options: Pick<PluginOptions, 'numerics'>,
  resolved: readonly ResolvedPlugin[],
): { profile: AccuracyProfile; from: 'default' | 'option' | 'manifest' } {
  if (options.numerics) return { profile: options.numerics, from: 'option' };
  const named = resolved.map((p) => p.manifest?.numerics);
  const loosest = ACCURACY_PROFILES.findLast((profile) => named.includes(profile));
  return loosest ? { profile: loosest, from: 'manifest' } : { profile: 'standard', from: 'default' };
}

/** The command's environment with what the manifests add. */
export const workerEnv = (env: NodeJS.ProcessEnv, resolved: readonly ResolvedPlugin[]): NodeJS.ProcessEnv => ({
  ...env,
  ...Object.assign({}, ...resolved.map((p) => p.env)),
});

/** The loader's message with what the file says about itself. */
export function explainLoad(path: string, { message, problem }: PluginFailure): string {
  const head = Buffer.alloc(64);
  const fd = openSync(path, 'r');
  const length = readSync(fd, head);
  closeSync(fd);
  const [first = '', ...more] = message.split('\n');
  const hint = loadHint(problem, head.subarray(0, length), process);
  return [hint === undefined ? first : `${first} (${hint})`, ...more].join('\n');
}
