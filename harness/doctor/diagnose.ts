import type { CommandEnvironment } from '../environment.ts';
import { inEffect } from '../host/deadlines.ts';
import { fileFacts } from '../inspect/file-facts.ts';
import { environmentOf } from '../plugins/environment-advice.ts';
import { PluginError } from '../plugins/plugin-error.ts';
import type { ResolvedPlugin } from '../plugins/types.ts';
import { type LoadResult, loadPlugin, type Wait } from '../run/load-plugin.ts';
import { deadlines, resolveAll, workerEnv } from '../run/plugin-setup.ts';
import { duration, forAll } from '../run/timeouts.ts';
import { conclude, type Diagnosis, fileFindings } from './diagnosis.ts';
import { environmentFindings } from './environment-findings.ts';
import type { Finding } from './finding.ts';
import { hardwareFindings, locksOf } from './hardware.ts';
import { loaderView } from './loader-view.ts';
import { closureOf, libraryFindings } from './needed-libraries.ts';
import { similarExports } from './similar-exports.ts';
import { startFindings } from './start-findings.ts';

/** How `doctor` goes about it. */
export interface DiagnoseOptions {
  /** Create options. */
  option?: string[];
  /** One deadline for everything, in milliseconds; without it, those of the harness and of the manifest. */
  timeout?: number;
  binding: 'now' | 'lazy';
  /** Whether a known plugin may be downloaded. */
  fetch: boolean;
}

const STDERR_LINES = 12;

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
    [plugin] = (await resolveAll({ ...options, plugin: [spec] }, around)) as [ResolvedPlugin];
  } catch (error) {
    if (!(error instanceof PluginError) || !ABOUT_THE_FILE.has(error.code)) throw error;
    const [what = '', ...advice] = error.message.replace(`--plugin ${spec}: `, '').split('; ');
    const finding: Finding = {
      id: 'file',
      severity: 'error',
      what,
      evidence: error.detail ? [error.detail] : [],
      next: advice.join('; ') || 'give the path of the library; `discover` lists what is found by name',
    };
    return conclude({ name: spec, path: spec }, [finding], 'file', undefined);
  }
  const about = {
    name: plugin.name,
    path: plugin.library,
    sha256: plugin.sha256,
    ...(plugin.manifest ? { manifest: plugin.manifest.name } : {}),
  };
  const { facts: file, elf } = fileFacts(plugin.library, process);
  if (file.unloadable !== undefined) return conclude(about, fileFindings(file, false), 'file', undefined);

  const { manifest } = plugin;
  const env = workerEnv(around.env, [plugin]);
  const limits = options.timeout === undefined ? deadlines({}, [plugin]) : forAll(options.timeout);
  const ways = { clients: true, binding: options.binding, explain: false, deadlines: limits };
  const locks = locksOf(manifest?.hardware);
  const longest = duration(inEffect(limits).clientCreate);
  const what = `loading ${plugin.name} and creating a client (deadline ${longest})`;
  const seen = await wait(what, loadPlugin(plugin, ways, around));
  const { facts } = seen;
  const { failure, devices } = facts;
  const stage = stageOf(seen);
  const loaded = stage !== 'load' || failure?.stage === 'version';
  // A plugin that ended the process was mapped before.
  const mapped = loaded || seen.death !== undefined;
  const libraries = (): Finding[] =>
    elf && elf.needed.length > 0 && process.platform === 'linux'
      ? libraryFindings(closureOf(plugin.library, elf, loaderView(env)), mapped)
      : [];
  // What is exported by a damaged file is not known for sure.
  const whole = file.elf?.faults.length === 0 || /exports no GetPjrtApi/.test(failure?.message ?? '');
  const noEntry = whole && file.elf?.exports.getPjrtApi === false;
  const findings: Finding[] = [
    ...fileFindings(file, loaded),
    ...libraries(),
    ...(noEntry ? [entryPointFinding(elf?.symbols.exported ?? [])] : []),
    ...hardwareFindings(manifest?.hardware, locks, stage === 'client' ? (failure?.message ?? '') : undefined),
    ...environmentFindings(environmentOf(manifest), env, stage !== 'usable'),
    ...startFindings({ ...seen, stderr: stderrOf(seen), ...noDevices(seen) }).filter(
      (f) => !(noEntry && f.id === 'load'),
    ),
    ...plugin.warnings.map((warning): Finding => ({ id: 'manifest', severity: 'info', what: warning, evidence: [] })),
  ];
  return conclude(about, findings, stage, devices?.length);
}

/** How far a plugin got. */
function stageOf({ facts: { failure, devices } }: LoadResult): Parameters<typeof conclude>[2] {
  if (failure) return failure.stage === 'version' ? 'load' : failure.stage;
  return devices ? 'usable' : 'devices';
}

/** No GetPjrtApi: what is exported instead. */
function entryPointFinding(exported: Parameters<typeof similarExports>[0]): Finding {
  const similar = similarExports(exported);
  const mangled = similar.some((name) => name.startsWith('_Z'));
  return {
    id: 'entry-point',
    severity: 'error',
    what: `it exports no GetPjrtApi${similar.length > 0 ? `, but ${similar.join(', ')}` : ''}`,
    evidence: [`symbols that are exported: ${exported.length}`],
    next: mangled
      ? 'declare it extern "C", so that its name is not decorated'
      : similar.length > 0
        ? 'rename it: the name must be GetPjrtApi to the letter'
        : 'is this the right file? A plugin has extern "C" const PJRT_Api* GetPjrtApi(), visible and in the version script',
  };
}

/** Why the devices of a client are unknown, from the note about the failed query. */
function noDevices({ notes }: LoadResult): { noDevices?: string } {
  const reasons = notes.map((n) =>
    /^a query of the plugin's devices: (?:it returned nothing for .*?: )?(.*)$/s.exec(n.message),
  );
  const reason = reasons.find((match) => match !== null)?.[1];
  return reason === undefined ? {} : { noDevices: reason };
}

/** Last lines that the plugin wrote while it was loaded and a client was created. */
function stderrOf({ notes }: LoadResult): string[] {
  const note = notes.find((n) => /^while the plugin was loaded: .* to stderr$/.test(n.message));
  const lines = (note?.detail ?? '').split('\n').filter((line) => line.trim() !== '');
  return lines.slice(-STDERR_LINES);
}
