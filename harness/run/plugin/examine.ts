import { availableParallelism } from 'node:os';
import type { CommandEnvironment } from '../../base/environment.ts';
import type { AskedDeadlines } from '../../host/deadlines.ts';
import type { Caller } from '../../knowledge/abi/caller.ts';
import { structsOf } from '../../knowledge/abi/index.ts';
import { exportedSymbols } from '../../knowledge/binary/elf-symbols.ts';
import type { ResolvedPlugin } from '../../model/plugin.ts';
import type { PluginFacts, PluginFailure } from '../../model/plugin-facts.ts';
import { applyEvent, type CaseRun, emptyRun, type Run, statusOf } from '../../model/run.ts';
import { matchesCase } from '../../suite/case-glob.ts';
import type { Case } from '../../suite/types.ts';
import { type Ability, abilities } from '../../verdict/abilities.ts';
import type { Consumer, NoClient, PluginView, Stage } from '../../verdict/frameworks/plugin-view.ts';
import { loadAllSuites } from '../suites/load-suites.ts';
import { deadlines } from './plugin-setup.ts';
import { runAlone } from './run-alone.ts';
import { moreTime } from './timeouts.ts';

const SESSION = 'framework/session';
/** Cases that call every function with valid arguments; globs, as `--tests` takes them. */
const CAPABILITY = [
  'abi/arguments:fields',
  'abi/arguments:fields-of-lifecycle',
  'abi/arguments:fields-without-client',
] as const;

/** Cases that read buffers where they lie, if the plugin says that this is in host memory. */
const ON_CPU = 'buffers/metadata:host-readable[dtype=f32,*]';
/** A case that destroys no error: frameworks do. */
const NULL_ERROR = 'abi/null-destroy:error';
/** Asks for the size of an array. */
const SIZE_QUERY = 'buffers/read-back:size-query-answer';
/** What is run once, beside the sessions. */
const ONCE: readonly string[] = [...CAPABILITY, ON_CPU, NULL_ERROR, SIZE_QUERY];

/** A plugin as these consumers see it, or why it could not be loaded. */
export type Examination = { view: PluginView } | { failure: string } | { interrupted: true };

/** Partial results are dropped: a case without a result would look like a success. */
const INTERRUPTED = { interrupted: true } as const;

/** How a plugin is called while it is examined. */
export interface ExamineOptions {
  binding: 'now' | 'lazy';
  /** What the user asks for. */
  deadlines: AskedDeadlines;
}

/**
 * Calls every function of a plugin once, and goes through a session as each consumer.
 * @param progress receives the current step
 */
export async function examine(
  options: ExamineOptions,
  around: CommandEnvironment,
  plugin: ResolvedPlugin,
  consumers: readonly Consumer[],
  progress: (text: string) => void,
): Promise<Examination> {
  const suites = await loadAllSuites();
  const cases = suites.flatMap((s) => s.cases);
  const session = cases.filter((c) => c.suite === SESSION);
  const act = (selected: readonly Case[], caller: Caller, sent = plugin): Promise<Run> =>
    actAs(options, around, sent, selected, caller);

  progress('calling every function …');
  const once = cases.filter(({ id }) => ONCE.some((glob) => matchesCase(glob, id)));
  const own = await act([...once, ...session], {});
  if (around.signal.aborted) return INTERRUPTED;
  const facts = own.plugins[0];
  if (!facts?.apiVersion) return { failure: facts?.failure?.message ?? 'it returned no function table' };
  const can = abilities(facts);
  // Callers that send the same structs are the same caller.
  const oldest = Math.min(...consumers.map(({ minor }) => minor));
  // A client that never comes would be waited for again and again.
  const hangs = facts.answers?.PJRT_Client_Create?.includes('HANG') && facts.failure?.stage === 'client';
  const bySent = new Map<string, Stage[]>();
  const sessions = new Map<string, Stage[]>();
  for (const consumer of consumers) {
    const { minor, createOptions } = consumer;
    const sent = `${structsOf(minor, oldest)}${JSON.stringify(createOptions)}`;
    if (hangs) bySent.set(sent, stages(own));
    else if (!bySent.has(sent)) {
      progress(`acting as a consumer built against 0.${minor} …`);
      const other = await act(session, { minor }, sentTo(plugin, createOptions));
      if (around.signal.aborted) return INTERRUPTED;
      bySent.set(sent, stages(other));
    }
    sessions.set(nameOf(consumer), bySent.get(sent)!);
  }
  return {
    view: {
      minor: facts.apiVersion.minor,
      abilities: can,
      answers: facts.answers ?? {},
      extensions: facts.extensions ?? [],
      stablehloCurrent: stablehloCurrent(facts.attributes),
      platformName: facts.platformName ?? plugin.manifest?.platformName,
      buffersOnCpu: buffersOnCpu(own, can),
      compileMs: compileMs(own),
      noClient: noClient(facts.failure),
      exit: badExit(own),
      nullError: nullError(own),
      noSize: noSize(own),
      behindTable: facts.functions?.behindEnd || undefined,
      exportsTensorflowInit: (exportedSymbols(plugin.library) ?? []).some(({ name }) => name === 'TFNPD_InitPlugin'),
      session: (consumer) => sessions.get(nameOf(consumer)),
    },
  };
}

const nameOf = ({ minor, createOptions }: Consumer): string => JSON.stringify([minor, createOptions]);

/** The plugin with the create options of a consumer besides those of the user. */
const sentTo = (plugin: ResolvedPlugin, createOptions: Consumer['createOptions']): ResolvedPlugin => ({
  ...plugin,
  options: {
    ...plugin.options,
    ...Object.fromEntries(
      Object.entries(createOptions ?? {}).map(([name, value]) => [name, { kind: 'int64', value: BigInt(value) }]),
    ),
  },
});

/** Runs a few cases as a caller, without reports. */
export async function actAs(
  options: ExamineOptions,
  around: CommandEnvironment,
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
      cases: members.map(({ id, line, title, level, covers, tags }) => {
        return { id, name: id, line, title, level, covers, tags };
      }),
    });
  }
  const how = {
    binding: options.binding,
    caller,
    workers: cases.length > 20 && !plugin.manifest?.serial ? Math.min(2, availableParallelism()) : 1,
    deadlines: deadlines(options.deadlines, [plugin]),
    moreTime,
  };
  await runAlone(plugin, cases, around, how, (event) => applyEvent(run, event));
  return run;
}

/** How far a session got: the first failure of each stage. */
function stages(run: Run): Stage[] {
  const failure = run.plugins[0]?.failure;
  const refused: Stage[] = failure
    ? [{ stage: 'client', failure: { call: CALLS[failure.stage], ...refusalOf(failure), died: false } }]
    : [];
  const seen = (run.suites.find((s) => s.suite === SESSION)?.cases ?? []).map(({ plan, result }): Stage => {
    const stage = plan.id.slice(plan.id.indexOf(':') + 1) as Stage['stage'];
    const violated = result && ['fail', 'crash', 'timeout'].includes(result.status);
    if (!violated) return { stage };
    const [finding] = result.findings;
    return {
      stage,
      failure: {
        call: finding?.call,
        code: finding?.code,
        message: finding?.said ?? finding?.message ?? 'it failed',
        died: result.status !== 'fail',
      },
    };
  });
  return [...refused, ...seen];
}

const CALLS: Readonly<Record<string, string>> = {
  client: 'PJRT_Client_Create',
  initialize: 'PJRT_Plugin_Initialize',
};

function compileMs({ cases }: Run): number | undefined {
  const { result } = cases.get(`${SESSION}:compile`) ?? {};
  return result?.status === 'pass' ? result.durationMs : undefined;
}

/** What PJRT_Buffer_IsOnCpu says, which is all that a framework goes by. Unknown where it never answered, or not always the same. */
function buffersOnCpu({ cases }: Run, can: ReadonlyMap<string, Ability>): PluginView['buffersOnCpu'] {
  if (can.get('PJRT_Buffer_IsOnCpu') !== 'works') return undefined;
  const seen = [...cases.values()].filter(({ plan }) => matchesCase(ON_CPU, plan.id));
  const said = new Set(seen.map(saidOnCpu).filter((onCpu) => onCpu !== undefined));
  return said.size === 1 ? [...said][0] : undefined;
}

/** What it said in a case. One that ended its process asked for the address, which it only does after a yes. */
function saidOnCpu({ result }: CaseRun): boolean | undefined {
  const asked = result?.trace?.calls.some(({ call }) => call === 'PJRT_Buffer_UnsafePointer');
  return result?.buffersOnCpu ?? (asked ? true : undefined);
}

/** What destroying no error does to a process. */
function nullError({ cases }: Run): PluginView['nullError'] {
  const shown = [...cases.values()].find(({ plan }) => plan.id === NULL_ERROR);
  const status = shown && statusOf(shown);
  return status === 'crash' ? 'dies' : status === 'timeout' ? 'hangs' : undefined;
}

/** What happens to a caller that asks for the size of an array. */
function noSize({ cases }: Run): PluginView['noSize'] {
  const result = [...cases.values()].find(({ plan }) => plan.id === SIZE_QUERY)?.result;
  if (!result || !['fail', 'crash', 'timeout', 'unsupported'].includes(result.status)) return undefined;
  return result.findings[0]?.message ?? result.status;
}

/** A client that nobody gets, as without a device; a plugin that has no such function is another matter. */
const noClient = (failure: PluginFacts['failure']): PluginView['noClient'] =>
  failure?.stage === 'client' && failure.code !== 'UNIMPLEMENTED' ? refusalOf(failure) : undefined;

const refusalOf = ({ code, message, ended }: PluginFailure): NoClient => ({
  ...(code ? { code } : {}),
  message,
  ...(ended ? { ended } : {}),
});

/** How a worker ended that had destroyed its clients and did not exit as it should. */
function badExit({ notes }: Run): PluginView['exit'] {
  for (const { fact } of notes) {
    if (fact?.kind !== 'exit') continue;
    const { kind: _, ...exit } = fact;
    return exit;
  }
  return undefined;
}

function stablehloCurrent(attributes: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const value = attributes?.stablehlo_current_version;
  return Array.isArray(value) ? value.join('.') : undefined;
}
