import type { CommandEnvironment, Environment } from '../../base/environment.ts';
import { programOnPath } from '../../base/program-on-path.ts';
import { inEffect } from '../../host/deadlines.ts';
import { DEBUGGERS } from '../../host/debuggers/kinds.ts';
import { tracePermission } from '../../host/debuggers/permission.ts';
import { type DeviceOptions, withDevices } from '../../host/devices/with-devices.ts';
import { environmentOf } from '../../host/plugins/environment-advice.ts';
import { PluginError } from '../../host/plugins/plugin-error.ts';
import type { ResolvedPlugin } from '../../model/plugin.ts';
import { loadPlugin, type Wait } from '../../run/plugin/load-plugin.ts';
import { deadlines, resolveAll, workerEnv } from '../../run/plugin/plugin-setup.ts';
import type { HostProcess } from '../../run/plugin/python-host.ts';
import { duration, forAll } from '../../run/plugin/timeouts.ts';
import { fileFacts } from '../inspect/file-facts.ts';
import type { DebuggersHere } from './debugger-finding.ts';
import { conclude, type Diagnosis, fileFindings } from './diagnosis.ts';
import { type Finding, finding } from './finding.ts';
import { locksOf } from './hardware.ts';
import { loaderView } from './loader-view.ts';
import { closureOf } from './needed-libraries.ts';
import { diagnosisOf } from './observed.ts';

/** How `doctor` goes about it. */
export interface DiagnoseOptions extends DeviceOptions {
  /** Create options. */
  option?: string[];
  /** One deadline for everything, in milliseconds; without it, those of the harness and of the manifest. */
  timeout?: number;
  binding: 'now' | 'lazy';
  /** Whether a known plugin may be downloaded. */
  fetch: boolean;
  /** Default: with a Python if the plugin needs one. */
  host?: HostProcess;
}

/** A file that is not there is what a doctor is asked about; a mistyped name or option is wrong usage. */
const ABOUT_THE_FILE = new Set(['plugin-not-found', 'plugin-unreadable', 'plugin-not-a-library']);

/**
 * Why a plugin does not load or creates no client, most likely cause first.
 * @param spec as `--plugin` takes it
 * @throws PluginError for a mistyped name or option
 */
export async function diagnose(
  spec: string,
  options: DiagnoseOptions,
  around: CommandEnvironment,
  wait: Wait,
): Promise<Diagnosis> {
  let plugin: ResolvedPlugin;
  try {
    [plugin] = (await resolveAll({ ...options, plugin: [spec] }, around, 'none')) as [ResolvedPlugin];
  } catch (error) {
    if (!(error instanceof PluginError) || !ABOUT_THE_FILE.has(error.code)) throw error;
    return conclude({ name: spec, path: spec }, [fileErrorFinding(error, `--plugin ${spec}`)], 'file', undefined);
  }
  const about = { name: plugin.name, path: plugin.library, sha256: plugin.sha256, manifest: plugin.manifest?.name };
  const file = fileFacts(plugin.library, process);
  if (file.misfit !== undefined) return conclude(about, fileFindings(file, false), 'file', undefined);

  const { manifest } = plugin;
  const env = workerEnv(around.env, [plugin]);
  const limits = options.timeout === undefined ? deadlines({}, [plugin]) : forAll(options.timeout);
  const ways = { clients: true, binding: options.binding, explain: false, deadlines: limits };
  const locks = locksOf(manifest?.hardware);
  const longest = duration(inEffect(limits).clientCreate);
  const what = `loading ${plugin.name} and creating a client (deadline ${longest})`;
  const seen = await withDevices([plugin], options, around, () => wait(what, loadPlugin(plugin, ways, around)));
  const { elf } = file;
  const searched = elf && elf.needed.length > 0 && process.platform === 'linux';
  return diagnosisOf({
    plugin: about,
    file,
    ...(searched ? { libraries: closureOf(plugin.library, elf, loaderView(env)) } : {}),
    ...(manifest?.hardware ? { hardware: manifest.hardware } : {}),
    locks,
    environment: environmentOf(manifest),
    env,
    python: plugin.python,
    warnings: plugin.warnings,
    debuggers: { paths: debuggersOn(around.env), permission: tracePermission() },
    seen,
  });
}

const debuggersOn = (env: Environment): DebuggersHere['paths'] =>
  Object.fromEntries(
    Object.keys(DEBUGGERS).flatMap((name) => {
      const path = programOnPath(name, env);
      return path === undefined ? [] : [[name, path]];
    }),
  );

/** A file that is not there, or is no library. @param asked what the user gave, which need not be repeated */
function fileErrorFinding({ message, parts, detail }: PluginError, asked: string): Finding {
  const { where, what, advice } = parts ?? { where: asked, what: message };
  const next = advice ?? 'give the path of the library; `discover` lists what is found by name';
  return finding('file', 'error', where === asked ? what : `${where}: ${what}`, detail ? [detail] : [], next);
}
