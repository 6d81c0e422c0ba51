import { distance } from 'fastest-levenshtein';
import type { Environment } from '../../base/environment.ts';
import type { ExportedSymbol } from '../../knowledge/binary/elf-symbols.ts';
import type { EmbeddedPython, EnvironmentAdvice, Hardware } from '../../model/plugin.ts';
import type { LoadResult } from '../../run/plugin/load-plugin.ts';
import type { FileLook } from '../inspect/file-facts.ts';
import { type DebuggersHere, debuggerFinding } from './debugger-finding.ts';
import { conclude, type Diagnosis, fileFindings } from './diagnosis.ts';
import { environmentFindings } from './environment-findings.ts';
import { type Finding, finding } from './finding.ts';
import { hardwareFindings, type Lock, type Refusal } from './hardware.ts';
import { type Closure, libraryFindings } from './needed-libraries.ts';
import { startFindings } from './start-findings.ts';

/** Everything that `doctor` goes by. */
interface Observed {
  plugin: Diagnosis['plugin'];
  file: FileLook;
  /** What the loader maps with the plugin, where that can be known. */
  libraries?: Closure;
  hardware?: Hardware;
  /** Lock files as they were before the plugin was loaded. */
  locks: readonly Lock[];
  environment: readonly EnvironmentAdvice[];
  env: Environment;
  python?: EmbeddedPython;
  /** Of the plugin's manifest. */
  warnings: readonly string[];
  debuggers: DebuggersHere;
  /** The attempt to create a client. */
  seen: LoadResult;
}

const STDERR_LINES = 12;

/** Draws the conclusion from what was observed. */
export function diagnosisOf({ plugin, file, libraries, hardware, locks, seen, ...rest }: Observed): Diagnosis {
  const { failure, devices, deviceCount } = seen.facts;
  const { elf } = file;
  const stage = stageOf(seen);
  const loaded = stage !== 'load' || failure?.stage === 'version';
  // A plugin that ended the process was mapped before.
  const mapped = loaded || seen.death !== undefined;
  // What is exported by a damaged file is not known for sure.
  const whole = file.facts.elf?.faults.length === 0 || failure?.problem === 'no-entry-point';
  const noEntry = whole && file.facts.elf?.exports.getPjrtApi === false;
  const refusal: Refusal | undefined = stage === 'client' ? { inUse: failure?.problem === 'in-use' } : undefined;
  const findings: Finding[] = [
    ...fileFindings(file, loaded),
    ...(libraries ? libraryFindings(libraries, mapped) : []),
    ...(noEntry ? [entryPointFinding(elf?.symbols.exported ?? [])] : []),
    ...hardwareFindings(hardware, locks, refusal),
    ...environmentFindings(rest.environment, rest.env, stage !== 'usable'),
    ...startFindings({ ...seen, stderr: stderrOf(seen), ...noDevices(seen) }).filter(
      (f) => !(noEntry && f.id === 'load'),
    ),
    ...(rest.python?.library
      ? [finding('python', 'info', `it needs a Python process: ${rest.python.why}`, [rest.python.library])]
      : []),
    ...rest.warnings.map((warning) => finding('manifest', 'info', warning)),
    debuggerFinding(rest.debuggers),
  ];
  return conclude(plugin, findings, stage, deviceCount ?? devices?.length);
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
  const what = `it exports no GetPjrtApi${similar.length > 0 ? `, but ${similar.join(', ')}` : ''}`;
  const next = mangled
    ? 'declare it extern "C", so that its name is not decorated'
    : similar.length > 0
      ? 'rename it: the name must be GetPjrtApi to the letter'
      : 'is this the right file? A plugin has extern "C" const PJRT_Api* GetPjrtApi(), visible and in the version script';
  return finding('entry-point', 'error', what, [`symbols that are exported: ${exported.length}`], next);
}

/** Why a client did not list its devices. */
function noDevices({ notes }: LoadResult): { noDevices?: string } {
  for (const { fact } of notes)
    if (fact?.kind === 'query' && fact.part === 'devices') return { noDevices: fact.reason };
  return {};
}

/** Last lines that the plugin wrote while it was loaded and a client was created. */
function stderrOf({ notes }: LoadResult): string[] {
  const note = notes.find(({ fact }) => fact?.kind === 'output' && fact.during === 'load' && fact.stream === 'stderr');
  const lines = (note?.detail ?? '').split('\n').filter((line) => line.trim() !== '');
  return lines.slice(-STDERR_LINES);
}

const WANTED = 'GetPjrtApi';
const MAX_DISTANCE = 3;

/** Exported names that may be meant for GetPjrtApi: other spellings, and the name as C++ decorates it. */
export const similarExports = (exported: readonly ExportedSymbol[]): string[] =>
  exported
    .map(({ name }) => name)
    .filter((name) => /^_Z\w*get_?pjrt_?api/i.test(name) || isNear(name))
    .sort();

const isNear = (name: string): boolean =>
  Math.abs(name.length - WANTED.length) <= MAX_DISTANCE &&
  distance(name.toLowerCase(), WANTED.toLowerCase()) <= MAX_DISTANCE;
