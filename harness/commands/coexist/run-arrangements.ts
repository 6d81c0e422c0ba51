/** `coexist`: every arrangement of some plugins in one process is a run of its own, with its own log and reports. */
import { copyFileSync, existsSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { cacheDirectoryOf } from '../../base/cache-directory.ts';
import { didYouMean } from '../../base/did-you-mean.ts';
import { display } from '../../base/display.ts';
import type { CommandEnvironment } from '../../base/environment.ts';
import { makeDirectory } from '../../base/make-directory.ts';
import { TOOL } from '../../base/tool.ts';
import { UsageError } from '../../base/usage-error.ts';
import { discover } from '../../host/plugins/discover.ts';
import { withFile } from '../../knowledge/binary/byte-source.ts';
import { elfFileIn } from '../../knowledge/binary/elf-file.ts';
import type { ResolvedPlugin } from '../../model/plugin.ts';
import type { RunOutcome } from '../../run/finish/run-outcome.ts';
import { commandName, shellWords } from '../../run/plan/header.ts';
import { resolveAll } from '../../run/plugin/plugin-setup.ts';
import type { TimeoutOptions } from '../../run/plugin/timeouts.ts';
import { runSession } from '../../run/run.ts';
import { selectedCases } from '../../run/suites/selection.ts';
import { type Arrangement, arrangements } from './arrangement.ts';
import type { Cell } from './cell.ts';
import { cellOfRun } from './cell-of-run.ts';
import { type Matrix, matrixOf, type Subject } from './matrix.ts';
import { type StaticNote, staticNotes } from './static-notes.ts';

/** Parsed options of `coexist`. */
export interface CoexistOptions extends TimeoutOptions {
  /** Paths, names or manifests, as for `--plugin`. */
  plugins: readonly string[];
  /** Also every plugin that can be used here without fetching or building. */
  allFound?: boolean;
  /** A further plugin that is only a partner; false for none. Default: `reference`, if it is built and there are only two. */
  control?: string | false;
  output?: string;
  /** Arrangements that run at the same time. */
  workers?: number;
  /** Only cells whose name matches one of these. */
  cell?: string[];
  /** Globs on ids: only these cases of arrangements with several plugins. */
  tests?: string[];
  binding: 'now' | 'lazy';
  fetch: boolean;
  allowBuild?: boolean;
}

/** Called when a cell has ended. */
export type OnCell = (cell: Cell, done: number, planned: number) => void;

const WORKERS = 2;
/** In the directory of a cell. */
const COPY = 'copy';
const RESULTS = 'coexistence/company:results';
const HYGIENE = 'process/hygiene:*';
const COMPANY = 'coexistence/**';
/** Programs that differ from process to process are not compared in company. */
const ALONE_REPEATS = 2;

/**
 * Runs the matrix.
 * @throws PluginError, UsageError
 */
export async function coexist(
  options: CoexistOptions,
  environment: CommandEnvironment,
  onCell: OnCell,
): Promise<{ matrix: Matrix; directory: string }> {
  const startedAt = new Date().toISOString();
  if (options.tests) await selectedCases({ tests: options.tests }, environment.cwd);
  const { plugins, controls } = await participants(options, environment);
  const directory = resolve(environment.cwd, options.output ?? join('reports', 'coexistence'));
  removeEarlier(directory);
  const planned = arrangements(
    plugins.map(({ name }) => name),
    controls.map(({ name }) => name),
  );
  const chosen = chosenOf(planned, options.cell);
  const runner = new ArrangementRunner([...plugins, ...controls], directory, options, environment);
  const cells: Cell[] = [];
  const runAll = (some: readonly Arrangement[]): Promise<void> =>
    runner.runAll(some, (cell) => {
      cells.push(cell);
      onCell(cell, cells.length, chosen.length);
    });
  await runAll(chosen.filter(({ company }) => company === 'alone'));
  await runAll(chosen.filter(({ company }) => company !== 'alone'));
  const order = chosen.map(({ name }) => name);
  cells.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  const all = [...plugins, ...controls];
  const subjects = all.map(({ name, library, sha256 }): Subject => {
    const control = controls.some((plugin) => plugin.name === name);
    const apiVersion = runner.versions.get(name);
    return { name, library, sha256, apiVersion, ...(control ? { control: true as const } : {}) };
  });
  const facts = { tool: TOOL, startedAt, host: hostname(), plugins: subjects, cells, static: staticFindings(all) };
  const matrix = matrixOf(facts, { interrupted: environment.signal.aborted });
  return { matrix, directory };
}

async function participants(
  options: CoexistOptions,
  environment: CommandEnvironment,
): Promise<{ plugins: ResolvedPlugin[]; controls: ResolvedPlugin[] }> {
  const { fetch, allowBuild } = options;
  const named =
    typeof options.control === 'string'
      ? await resolveAll({ plugin: [options.control], fetch, allowBuild }, environment)
      : [];
  const found = options.allFound || options.control === undefined ? await usable(environment) : [];
  const specs = [
    ...options.plugins,
    ...(options.allFound ? found.filter((name) => !options.plugins.includes(name)) : []),
  ];
  const plugins = await resolveAll({ plugin: specs, fetch, allowBuild }, environment);
  const [twin] = plugins.filter((plugin, i) => plugins.findIndex(({ sha256 }) => sha256 === plugin.sha256) !== i);
  if (twin) {
    throw new UsageError(
      `${twin.library}: it is given twice; coexist puts every plugin beside itself and beside a copy of it anyway`,
    );
  }
  if (plugins.length === 0)
    throw new UsageError('there is no plugin to look at; name some, or make some findable (discover lists them)');
  const usual = options.control === undefined && plugins.length === 2 && found.includes('reference');
  const controls = usual ? await resolveAll({ plugin: ['reference'], fetch, allowBuild }, environment) : named;
  return { plugins, controls: controls.filter(({ sha256 }) => !plugins.some((plugin) => plugin.sha256 === sha256)) };
}

/**
 * Removes the arrangements of an earlier matrix.
 * @throws UsageError if something of others is among them
 */
function removeEarlier(directory: string): void {
  const cells = entriesOf(join(directory, 'cells'));
  const alone = entriesOf(join(directory, 'alone'));
  const foreign = [
    // One that was interrupted at once has its copy of the plugin, and no log.
    ...cells.filter((cell) => !existsSync(join(cell, 'events.jsonl')) && !onlyHas(cell, (name) => name === COPY)),
    ...alone.filter((results) => !onlyHas(results, (name) => name.endsWith('.json'))),
  ];
  if (foreign.length > 0) {
    throw new UsageError(
      `${foreign[0]}: coexist did not write this, and would have to remove it; choose another directory`,
      { options: ['output'] },
    );
  }
  for (const path of [...cells, ...alone]) rmSync(path, { recursive: true });
}

const entriesOf = (directory: string): string[] =>
  existsSync(directory) ? readdirSync(directory).map((entry) => join(directory, entry)) : [];

const onlyHas = (path: string, ours: (name: string) => boolean): boolean =>
  statSync(path).isDirectory() && readdirSync(path).every(ours);

/** Names of plugins that need no download and no compilation. */
const usable = async ({ env, cwd }: CommandEnvironment): Promise<string[]> =>
  (await discover(env, cwd, { cacheDir: cacheDirectoryOf(env) })).flatMap(({ status, name }) =>
    status === 'usable' && name !== undefined ? [name] : [],
  );

/** @throws UsageError if nothing is left */
function chosenOf(planned: readonly Arrangement[], names: readonly string[] | undefined): Arrangement[] {
  if (!names) return [...planned];
  for (const name of names) {
    if (planned.some((arrangement) => arrangement.name === name)) continue;
    const there = planned.map((arrangement) => arrangement.name);
    const hint = didYouMean(name, there) ?? `there are ${there.join(', ')}`;
    throw new UsageError(`--cell ${name}: there is no such arrangement; ${hint}`, { options: ['cell'] });
  }
  const wanted = planned.filter(({ name }) => names.includes(name));
  const needed = new Set(wanted.flatMap(({ plugins }) => plugins));
  return planned.filter((a) => wanted.includes(a) || (a.company === 'alone' && needed.has(a.plugins[0]!)));
}

function staticFindings(plugins: readonly ResolvedPlugin[]): StaticNote[] {
  const subjects = plugins.flatMap(({ name, library }) => {
    const elf = withFile(library, elfFileIn);
    return elf ? [{ name, elf }] : [];
  });
  return staticNotes(subjects);
}

/** What a plugin does to the process alone is of interest beside all of what it does in company. */
const testsOf = (alone: boolean, asked: string[] | undefined): string[] =>
  alone ? [RESULTS, ...(asked ? [] : [HYGIENE])] : (asked ?? [COMPANY]);

/** Runs arrangements, and remembers what was learnt of the plugins alone. */
class ArrangementRunner {
  readonly versions = new Map<string, string>();
  readonly #plugins: ReadonlyMap<string, ResolvedPlugin>;
  readonly #directory: string;
  readonly #options: CoexistOptions;
  readonly #environment: CommandEnvironment;
  readonly #alone = { unusable: new Set<string>(), withoutClient: new Set<string>() };

  constructor(
    plugins: readonly ResolvedPlugin[],
    directory: string,
    options: CoexistOptions,
    environment: CommandEnvironment,
  ) {
    this.#plugins = new Map(plugins.map((plugin) => [plugin.name, plugin]));
    this.#directory = directory;
    this.#options = options;
    this.#environment = environment;
  }

  /** Several at a time, unless a plugin allows one process only. */
  async runAll(some: readonly Arrangement[], onCell: (cell: Cell) => void): Promise<void> {
    const serial = [...this.#plugins.values()].some(({ manifest }) => manifest?.serial);
    const lanes = serial ? 1 : (this.#options.workers ?? WORKERS);
    const waiting = [...some];
    const lane = async (): Promise<void> => {
      for (let next = waiting.shift(); next && !this.#environment.signal.aborted; next = waiting.shift()) {
        onCell(await this.#run(next));
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  }

  async #run(arrangement: Arrangement): Promise<Cell> {
    const { name, company } = arrangement;
    const alone = company === 'alone';
    const output = join(this.#directory, 'cells', name);
    const plugins = this.#membersOf(arrangement);
    const { run } = await this.#session(plugins, output, alone);
    if (alone) this.#learn(arrangement.plugins[0]!, run);
    const cell = cellOfRun(run, arrangement, this.#alone, {
      directory: display(this.#environment.cwd, output),
      reproduce: this.#commandOf(name),
    });
    if (cell.status !== 'fail') rmSync(join(output, COPY), { recursive: true, force: true });
    return cell;
  }

  #commandOf(cell: string): string {
    const { plugins, control, allFound } = this.#options;
    const more = typeof control === 'string' ? ['--control', control] : control === false ? ['--no-control'] : [];
    const named = [...plugins, ...(allFound ? ['--all-found'] : []), ...more];
    return shellWords([...commandName(this.#environment.env), 'coexist', ...named, '--cell', cell]);
  }

  #session(plugins: readonly ResolvedPlugin[], output: string, alone: boolean): Promise<RunOutcome> {
    const { plugins: _, allFound: __, control: ___, cell: ____, workers: _____, ...how } = this.#options;
    const silent = { write: () => true };
    return runSession(
      {
        ...how,
        plugin: plugins.map(({ library }) => library),
        tests: testsOf(alone, this.#options.tests),
        ...(alone ? { repeat: ALONE_REPEATS } : {}),
        workers: 1,
        output,
        acceptKnown: true,
        quiet: true,
        github: false,
      },
      { ...this.#environment, stdout: silent, stderr: silent },
      { plugins },
    );
  }

  #membersOf({ name, company, plugins }: Arrangement): ResolvedPlugin[] {
    const count = new Map<string, number>();
    return plugins.map((pluginName) => {
      const plugin = this.#plugins.get(pluginName)!;
      const before = count.get(pluginName) ?? 0;
      count.set(pluginName, before + 1);
      const own = {
        ...plugin,
        alone: {
          directory: join(this.#directory, 'alone', pluginName),
          ...(company === 'alone' ? { keeps: true as const } : {}),
          ...(this.#alone.withoutClient.has(pluginName) ? { refusesClients: true as const } : {}),
        },
      };
      if (before === 0) return own;
      const library = company === 'copy' ? this.#copy(plugin, name) : plugin.library;
      return { ...own, name: `${pluginName}-${before + 1}`, library };
    });
  }

  /** A copy has its own inode, so the loader maps it separately. What is beside the original is beside it too. */
  #copy({ library }: ResolvedPlugin, cell: string): string {
    const directory = join(this.#directory, 'cells', cell, COPY);
    makeDirectory(directory);
    const path = join(directory, basename(library));
    copyFileSync(library, path);
    for (const name of readdirSync(dirname(library))) {
      if (name !== basename(library)) symlinkSync(join(dirname(library), name), join(directory, name));
    }
    return path;
  }

  #learn(plugin: string, run: RunOutcome['run']): void {
    const [facts] = run.plugins;
    if (facts?.apiVersion) this.versions.set(plugin, `${facts.apiVersion.major}.${facts.apiVersion.minor}`);
    if (!facts?.failure) return;
    (facts.failure.stage === 'client' ? this.#alone.withoutClient : this.#alone.unusable).add(plugin);
  }
}
