import { type CheckedRelease, type CompatOptions, compatibility } from '../commands/compat/compat.ts';
import { type DiagnoseOptions, diagnose } from '../commands/doctor/diagnose.ts';
import type { Diagnosis } from '../commands/doctor/diagnosis.ts';
import { inspect as inspectPlugin } from '../commands/inspect/inspect.ts';
import type { Inspection } from '../commands/inspect/inspection.ts';
import type { AskedDeadlines } from '../host/deadlines.ts';
import type { FrameworkVerdict } from '../model/framework-verdict.ts';
import { asVerdict } from '../run/finish/framework-verdict.ts';
import { asOptions } from '../run/plugin/timeouts.ts';
import { allReleases, chosenRelease } from '../verdict/frameworks/spec.ts';
import { deviceOptions, environmentOf, optionArguments, type PluginRequest, silently } from './context.ts';

/** Which releases to check, and how. */
export interface CompatRequest extends PluginRequest {
  /** One release, as in `jax@0.10.2`, or the newest of a framework: `jax`. Default: all. */
  framework?: string;
  /** As if ENABLE_PJRT_COMPATIBILITY were set. */
  compatibility?: boolean;
  /** Deadlines of the plugin, in milliseconds. */
  deadlines?: AskedDeadlines;
}

/** The verdict for a release, and what the name of the plugin's platform costs with it. */
interface ReleaseVerdict extends FrameworkVerdict {
  platform: CheckedRelease['platform'];
}

/** The verdict for each release, or why the plugin could not be loaded. */
export type CompatResult =
  | { plugin: string; apiMinor: number; releases: ReleaseVerdict[] }
  | { plugin: string; failure: string };

/** Which framework releases work with a plugin; like the command `compat`. @throws UsageError, PluginError, AbortError */
export async function compat(request: CompatRequest): Promise<CompatResult> {
  const { plugin, options, framework, deadlines, compatibility: asIf } = request;
  const environment = environmentOf(request);
  const chosen = framework === undefined ? allReleases() : [chosenRelease('framework', framework)];
  const asked: CompatOptions = {
    plugin: [plugin],
    option: optionArguments(options),
    fetch: request.fetch ?? true,
    ...(request.allowBuild ? { allowBuild: true } : {}),
    host: request.host,
    binding: 'lazy',
    compatibility: asIf,
    ...asOptions(deadlines ?? {}),
    ...deviceOptions(request),
  };
  const seen = await compatibility(chosen, asked, environment, () => {});
  if ('interrupted' in seen) throw environment.signal.reason;
  if ('failure' in seen) return { plugin: seen.name, failure: seen.failure };
  return {
    plugin: seen.name,
    apiMinor: seen.minor,
    releases: seen.rows.map((row) => ({ ...asVerdict(row), platform: row.platform })),
  };
}

/** A plugin that does not start, and its deadline. */
export interface DoctorRequest extends PluginRequest, Pick<Partial<DiagnoseOptions>, 'timeout' | 'binding'> {}

/** Why a plugin does not load or creates no client; like the command `doctor`. @throws PluginError, AbortError */
export async function doctor(request: DoctorRequest): Promise<Diagnosis> {
  const { plugin, options, timeout, binding = 'lazy', fetch = true, host } = request;
  const environment = environmentOf(request);
  const how = { option: optionArguments(options), timeout, binding, fetch, host, ...deviceOptions(request) };
  const diagnosis = await diagnose(plugin, how, environment, silently);
  environment.signal.throwIfAborted();
  return diagnosis;
}

/** A plugin to inspect without creating a client. */
export interface InspectRequest extends Omit<PluginRequest, 'options'> {
  /** Deadline of loading and initializing it, in milliseconds. */
  timeout?: number;
}

/** Facts about a plugin's file and about the loaded plugin; like the command `inspect`. @throws PluginError, AbortError */
export async function inspect(request: InspectRequest): Promise<Inspection> {
  const environment = environmentOf(request);
  const { plugin, timeout, fetch = true, host } = request;
  const how = { timeout, fetch, host, ...deviceOptions(request) };
  const inspection = await inspectPlugin(plugin, how, environment, silently);
  environment.signal.throwIfAborted();
  return inspection;
}
