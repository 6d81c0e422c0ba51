/** From programs that fail on a plugin to the smallest one that fails in the same way. */
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { demandEmpty } from '../../base/demand-empty.ts';
import type { CommandEnvironment } from '../../base/environment.ts';
import { makeDirectory } from '../../base/make-directory.ts';
import { scratchDirectory } from '../../base/scratch.ts';
import { type DeviceOptions, withDevices } from '../../host/devices/with-devices.ts';
import { signatureOf } from '../../knowledge/programs/signature.ts';
import type { AccuracyProfile } from '../../model/numeric-record.ts';
import { type PluginAndOracle, resolveBoth } from '../../run/plugin/plugin-and-oracle.ts';
import { numericsOf } from '../../run/plugin/plugin-setup.ts';
import type { TimeoutOptions } from '../../run/plugin/timeouts.ts';
import { type ProgramFiles, programFiles } from '../../suite/collections/program-files.ts';
import { programSettings } from '../../suite/collections/program-settings.ts';
import { programsDirectory } from '../../suite/collections/programs-directory.ts';
import { throwIfAny } from '../../suite/problem.ts';
import { type Edited, sizeOf } from './edited.ts';
import { demandEditor, edit } from './editor.ts';
import { type Candidate, Judge, type Outcome, writeProgram } from './judge.ts';
import { type Progress, Reduction, type State } from './reduction.ts';

/** Options of `reduce`. */
export interface ReduceOptions extends PluginAndOracle, TimeoutOptions, DeviceOptions {
  /** Directory of the program that is written; it must not exist yet, or be empty. */
  output: string;
  /** Changes the inputs that are generated for programs without any. */
  seed?: number;
  numerics?: AccuracyProfile;
  workers?: number;
}

/** What a program consists of. */
interface Size {
  operations: number;
  parameters: number;
  results: number;
  /** Elements of the parameters. */
  elements: number;
}

/** The smallest program. */
interface Smallest {
  /** The program that it was made of. */
  program: string;
  before: Size;
  after: Size;
  /** Its operations, in order. */
  operations: string[];
  /** What it says on the plugin, and the kind of failure. */
  message: string;
  failure: string;
  /** Its file, relative to the directory. */
  file: string;
}

/** What came of it. */
export interface Reduced {
  /** Programs that were run at first. */
  programs: number;
  /** Of these, those that fail, with what they say. */
  failing: { program: string; message: string }[];
  /** Programs of which nothing is known, or that cannot be reduced. */
  left: { program: string; reason: string }[];
  smallest?: Smallest;
  directory: string;
  /** Programs that were run in all. */
  tried: number;
}

/** A program that fails, as it was given. */
interface Failing {
  files: ProgramFiles;
  outcome: Outcome & { kind: 'failed' };
}

/** A program that can be edited. */
interface Normal extends Failing {
  state: State;
  settings: string | undefined;
  version: string | undefined;
}

/**
 * Reduces the failing program of a directory that has the fewest operations, or a single one.
 * @param place directory, or file of a program, as for `programs`
 * @throws UsageError, SuiteError, PluginError
 */
export async function reduce(
  place: string,
  options: ReduceOptions,
  environment: CommandEnvironment,
  progress: (progress: Progress) => void,
): Promise<Reduced> {
  const { cwd } = environment;
  const directory = resolve(cwd, options.output);
  demandEmpty(directory, options.output, 'program');
  const { programs, problems } = programFiles(place, cwd);
  throwIfAny(problems);
  // All files are checked before a plugin is loaded.
  await programsDirectory({ directory: place }, cwd);
  const plugins = await resolveBoth(options, environment);
  demandEditor();
  const [plugin, oracle] = plugins;
  const scratch = scratchDirectory('reduce');
  const judge = new Judge({
    plugin,
    oracle,
    numerics: numericsOf(options, plugins).profile,
    workers: options.workers ?? 1,
    timeouts: options,
    environment,
    seed: options.seed,
    scratch,
  });
  try {
    const reduced: Reduced = { programs: programs.length, failing: [], left: [], directory, tried: 0 };
    await withDevices(plugins, options, environment, async () => {
      progress({ phase: 'programs', tried: 0 });
      const failing = await failingOf(programs, judge, reduced, cwd);
      const normal = await normalForms(failing, judge, reduced, environment);
      const chosen = normal.sort((a, b) => sizeOf(a.state.program) - sizeOf(b.state.program))[0];
      if (chosen) await reduceOne(chosen, judge, reduced, environment.signal, progress);
    });
    return { ...reduced, tried: judge.programs };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Runs all programs, as they are. */
async function failingOf(
  programs: readonly ProgramFiles[],
  judge: Judge,
  reduced: Reduced,
  cwd: string,
): Promise<Failing[]> {
  const outcomes = await judge.outcomes(programs.map((files) => asGiven(files, cwd)));
  return programs.flatMap((files, i) => {
    const outcome = outcomes[i]!;
    if (outcome.kind === 'unknown') reduced.left.push({ program: nameOf(files), reason: outcome.reason });
    if (outcome.kind !== 'failed') return [];
    reduced.failing.push({ program: nameOf(files), message: outcome.message });
    return [{ files, outcome }];
  });
}

const nameOf = ({ below, name }: ProgramFiles): string => [...below, name].join('/');

/** The files of a program without its expected results: the oracle says what these are. */
function asGiven(files: ProgramFiles, cwd: string): Candidate {
  const { program, settings } = files;
  const path = (file: string): string => resolve(cwd, file);
  const code = new Map([[program.endsWith('bc') ? '.mlirbc' : '.mlir', path(program)]]);
  const text = path(program).replace(/\.mlir(bc|\.bc)$/, '.mlir');
  if (existsSync(text)) code.set('.mlir', text);
  return {
    files: new Map([...code, ...inputsOf(files, cwd)]),
    settings: settings === undefined ? undefined : readFileSync(path(settings), 'utf8'),
  };
}

/** Files of the parameters, by the ends of their names. */
function inputsOf({ inputs: { archive, single } }: ProgramFiles, cwd: string): Map<string, string> {
  return new Map([
    ...(archive === undefined ? [] : [['.inputs.npz', resolve(cwd, archive)] as const]),
    ...[...single].map(([i, file]) => [`.arg${i}${extname(file)}`, resolve(cwd, file)] as const),
  ]);
}

/** Programs that can be edited, in the form in which they are: calls are inlined. */
async function normalForms(
  failing: readonly Failing[],
  judge: Judge,
  reduced: Reduced,
  { cwd, signal }: CommandEnvironment,
): Promise<Normal[]> {
  const directory = judge.directory('normal');
  const known = failing.flatMap((one) => {
    const { pieces, compare, ...settings } = programSettings(one.files.settings, cwd, []);
    const path = resolve(cwd, one.files.program);
    const { version, replicas = 1, partitions = 1 } = signatureOf(readFileSync(path), path);
    if (pieces || replicas * partitions > 1) {
      const reason = 'it runs on several devices; only programs of one device are reduced';
      reduced.left.push({ program: nameOf(one.files), reason });
      return [];
    }
    const kept = { ...settings, ...(compare !== undefined && !Array.isArray(compare) && { compare }) };
    return [{ ...one, version, path, settings: Object.keys(kept).length > 0 ? stringify(kept) : undefined }];
  });
  const jobs = known.map(({ path: program, version }, i) => {
    const output = join(directory, `${i}.mlir`);
    const artifact = version === undefined ? {} : { artifact: `${output}bc`, version };
    return { kind: 'normal' as const, program, output, ...artifact };
  });
  const answers = await edit(jobs, signal);
  return known.flatMap(({ path: _, ...one }, i) => {
    const program = answers[i]!;
    const { output: text, artifact } = jobs[i]!;
    if (!('error' in program)) return [{ ...one, state: { program, text, artifact, data: inputsOf(one.files, cwd) } }];
    reduced.left.push({ program: nameOf(one.files), reason: `jaxlib: ${program.error}` });
    return [];
  });
}

/** Makes a program smaller, and writes what is left. */
async function reduceOne(
  { files, outcome: first, state, settings, version }: Normal,
  judge: Judge,
  reduced: Reduced,
  signal: AbortSignal,
  progress: (progress: Progress) => void,
): Promise<void> {
  const course = { judge, likeness: first.likeness, version, signal, progress };
  const program = nameOf(files);
  const leave = (reason: string): void => {
    reduced.left.push({ program, reason });
  };
  // Options of the compiler are left out first, if it fails without them.
  let reduction = new Reduction({ ...course, settings: undefined }, state);
  if (!(await reduction.outcome()).alike) {
    reduction = new Reduction({ ...course, settings }, state);
    const { alike } = await reduction.outcome();
    if (!alike)
      return leave('it fails only as it is: not once its calls are inlined and attributes of parameters left out');
  }
  await reduction.run();
  const { outcome, alike } = await reduction.outcome();
  if (outcome.kind !== 'failed' || !alike) return leave('what was left of it failed, and then did not any more');
  const small = reduction.candidate();
  const { name } = files;
  const results = outcome.outputs.map((file, i) => [`.out${i}.npy`, file] as const);
  const text = version === undefined ? [] : [['.mlir', reduction.state.text] as const];
  const part = `${reduced.directory}.${process.pid}.part`;
  try {
    makeDirectory(part);
    writeProgram(part, name, { ...small, files: new Map([...small.files, ...text, ...results]) });
    renameSync(part, reduced.directory);
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    throw error;
  }
  reduced.smallest = {
    program,
    before: measured(state.program),
    after: measured(reduction.state.program),
    operations: reduction.state.program.ops.map((op) => op.name),
    message: outcome.message,
    failure: outcome.likeness,
    file: `${name}${version === undefined ? '.mlir' : '.mlirbc'}`,
  };
}

const measured = (program: Edited): Size => ({
  operations: sizeOf(program),
  parameters: program.parameters,
  results: program.results.length,
  elements: program.values
    .slice(0, program.parameters)
    .reduce((sum, { shape = [] }) => sum + shape.reduce((n, d) => n * d, 1), 0),
});
