import { availableParallelism } from 'node:os';
import { exportedSymbols } from '../binary/elf-symbols.ts';
import { formatJson, formatMarkdown, formatOne, formatTable, type Row } from '../frameworks/format.ts';
import { FRAMEWORKS, findRelease, loadFramework } from '../frameworks/load.ts';
import { type PluginView, predict, type Stage } from '../frameworks/predict.ts';
import { runPlan } from '../host/runner.ts';
import type { ResolvedPlugin } from '../plugins/types.ts';
import { applyEvent, emptyRun, type Run } from '../report/model.ts';
import type { Case } from '../suite/types.ts';
import { abilities } from '../verdict/abilities.ts';
import { exitCode } from '../verdict/exit-codes.ts';
import type { Caller } from '../wire/caller.ts';
import { loadAllSuites } from './load-suites.ts';
import {
  deadlines,
  explainLoad,
  type PluginOptions,
  resolveAll,
  startFacts,
  wirePlugin,
  workerEnv,
} from './plugin-setup.ts';
import type { Surroundings } from './surroundings.ts';
import { UsageError } from './usage-error.ts';

export interface CompatOptions extends PluginOptions {
  framework?: string;
  compatibility?: 'true' | 'false';
  format: 'text' | 'json' | 'markdown';
}

const SESSION = 'framework/session';
/** Cases that call every function with sound arguments. */
const CAPABILITY = /^abi\/arguments:fields/;

/**
 * `compat`: what every release of every framework makes of a plugin, or one release in full.
 * @returns the exit code
 */
export async function compat(options: CompatOptions, around: Surroundings): Promise<number> {
  const chosen = wanted(options.framework);
  const [plugin] = await resolveAll(options, around);
  const suites = await loadAllSuites();
  const cases = suites.flatMap((s) => s.cases);
  const session = cases.filter((c) => c.suite === SESSION);
  const act = (selected: readonly Case[], caller: Caller): Promise<Run> =>
    actAs(options, around, plugin!, selected, caller);

  const progress = around.stderr.isTTY === true ? (text: string) => around.stderr.write(`\r\u001b[K${text}`) : () => {};
  progress('calling every function …');
  const own = await act([...cases.filter((c) => CAPABILITY.test(c.id)), ...session], {});
  const facts = own.plugins[0];
  if (!facts?.apiVersion) {
    progress('');
    const { failure } = facts ?? {};
    around.stderr.write(
      `error: ${plugin!.name} could not be loaded: ${failure?.message ?? 'it gave no function table'}\n`,
    );
    return exitCode('unusable');
  }
  const minors = [...new Set(chosen.map(({ release }) => release.minor))];
  const sessions = new Map<number, Stage[]>();
  for (const minor of minors) {
    if (around.signal.aborted) return exitCode('interrupted');
    progress(`acting as a caller of 0.${minor} …`);
    sessions.set(minor, stages(await act(session, { minor })));
  }
  progress('');
  const view: PluginView = {
    minor: facts.apiVersion.minor,
    abilities: abilities(facts),
    answers: facts.answers ?? {},
    extensions: facts.extensions ?? [],
    ...stablehloCurrent(facts.attributes),
    exportsTensorflowInit: (exportedSymbols(plugin!.library) ?? []).some(({ name }) => name === 'TFNPD_InitPlugin'),
    session: (minor) => sessions.get(minor),
  };
  const compatible = options.compatibility === undefined ? undefined : options.compatibility === 'true';
  const rows: Row[] = chosen.map(({ framework, release }) => ({
    framework,
    release,
    prediction: predict(framework, release, view, compatible),
  }));
  around.stdout.write(written(rows, options, `${plugin!.name} (API 0.${view.minor})`));
  const bad = rows.some(({ prediction }) => prediction.outcome === 'refuses' || prediction.outcome === 'aborts');
  return options.framework !== undefined && bad ? exitCode('not-conformant') : 0;
}

function written(rows: readonly Row[], options: CompatOptions, pluginLine: string): string {
  if (options.format === 'json') return formatJson(rows);
  if (options.format === 'markdown') return formatMarkdown(rows);
  return options.framework === undefined ? formatTable(rows) : formatOne(rows[0]!, pluginLine);
}

/** The releases that are asked about. @throws UsageError for a release that nobody knows */
function wanted(spec: string | undefined): Pick<Row, 'framework' | 'release'>[] {
  if (spec === undefined) {
    return FRAMEWORKS.map(loadFramework).flatMap((framework) =>
      framework.releases.map((release) => ({ framework, release })),
    );
  }
  const [name, version] = spec.split('@');
  const known = FRAMEWORKS.find((f) => f === name);
  if (!known || !version) {
    throw new UsageError(`--framework ${spec}: expected ${FRAMEWORKS.join(', ')} and a version, such as jax@0.10.2`);
  }
  const framework = loadFramework(known);
  const release = findRelease(framework, version);
  if (!release) {
    const all = framework.releases.map((r) => r.version).join(', ');
    throw new UsageError(
      `--framework ${spec}: nothing is known of that release of ${framework.title}; known are ${all}`,
    );
  }
  return [{ framework, release }];
}

/** Runs a few cases as a caller, without reports. */
async function actAs(
  options: CompatOptions,
  around: Surroundings,
  plugin: ResolvedPlugin,
  cases: readonly Case[],
  caller: Caller,
): Promise<Run> {
  const run = emptyRun();
  const bySuite = new Map<string, Case[]>();
  for (const c of cases) bySuite.set(c.suite, [...(bySuite.get(c.suite) ?? []), c]);
  for (const [suite, members] of bySuite) {
    applyEvent(run, {
      type: 'suite',
      suite,
      file: members[0]!.file,
      title: suite,
      sha256: '',
      cases: members.map(({ id, line, title, level, covers, tags }) => ({
        id,
        name: id,
        line,
        title,
        level,
        covers,
        tags,
      })),
    });
  }
  await runPlan(
    {
      cases,
      plugins: [wirePlugin(plugin)],
      facts: [startFacts(plugin)],
      env: workerEnv(around.env, [plugin]),
      binding: options.binding,
      caller,
      clients: true,
      workers: cases.length > 20 && !plugin.manifest?.serial ? Math.min(2, availableParallelism()) : 1,
      deadlines: deadlines(options, [plugin]),
      explainLoad,
      annotate: (_, result) => result,
      signal: around.signal,
    },
    (event) => applyEvent(run, event),
  );
  return run;
}

/** How far a session got: the first failure of each stage. */
function stages(run: Run): Stage[] {
  const failure = run.plugins[0]?.failure;
  const refused: Stage[] = failure
    ? [
        {
          stage: 'client',
          failure: {
            ...callOf(failure.stage),
            ...(failure.code ? { code: failure.code } : {}),
            message: failure.message,
            died: false,
          },
        },
      ]
    : [];
  const seen = (run.suites.find((s) => s.suite === SESSION)?.cases ?? []).map(({ plan, result }): Stage => {
    const stage = plan.id.slice(plan.id.indexOf(':') + 1) as Stage['stage'];
    const broken = result && ['fail', 'crash', 'timeout'].includes(result.status);
    if (!broken) return { stage };
    const [finding] = result.findings;
    const code = /failed with ([A-Z_]+)/.exec(finding?.message ?? '')?.[1];
    const text = /^message: (.*)$/m.exec(finding?.detail ?? '')?.[1];
    return {
      stage,
      failure: {
        ...(finding?.call ? { call: finding.call } : {}),
        ...(code ? { code } : {}),
        message: text ?? finding?.message ?? 'it failed',
        died: result.status !== 'fail',
      },
    };
  });
  return [...refused, ...seen];
}

const callOf = (stage: string): { call?: string } =>
  stage === 'client'
    ? { call: 'PJRT_Client_Create' }
    : stage === 'initialize'
      ? { call: 'PJRT_Plugin_Initialize' }
      : {};

function stablehloCurrent(attributes: Readonly<Record<string, unknown>> | undefined): { stablehloCurrent?: string } {
  const value = attributes?.stablehlo_current_version;
  return Array.isArray(value) ? { stablehloCurrent: value.join('.') } : {};
}
