import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { suggestion } from '../../base/did-you-mean.ts';
import { display } from '../../base/display.ts';
import type { CommandEnvironment, Environment } from '../../base/environment.ts';
import { programOnPath } from '../../base/program-on-path.ts';
import { UsageError } from '../../base/usage-error.ts';
import { DEBUGGERS, type DebuggerName } from '../../host/debuggers/kinds.ts';
import { refusalToRecord } from '../../host/debuggers/refusal-to-record.ts';
import type { Debugger } from '../../host/debuggers/session.ts';
import type { RunPlan } from '../../host/run-plan.ts';
import { Abi, extensionFunctions, NEWEST_MINOR } from '../../knowledge/abi/index.ts';
import type { CaseResult } from '../../model/case-result.ts';
import type { Event } from '../../model/events.ts';
import { VIOLATING_STATUSES } from '../../model/status.ts';
import { runsIn } from '../../report/compare/read-runs.ts';
import type { Case } from '../../suite/types.ts';
import { debuggerNamed } from '../plan/debugger-named.ts';
import type { RunOptions } from '../plan/run-options.ts';

/** What a run is about. */
interface Subject {
  cases: readonly Case[];
  /** Of the run, and of the one whose place it takes. */
  log: string;
  directory: string;
}

/**
 * The debugger in which the only case runs, and where it stops: at the function that the user names, or the one that failed in the
 * last run here.
 * @throws UsageError if it is not one case, or the debugger is not installed, or cannot work here
 */
export function debuggerOf(
  options: RunOptions,
  { cases, log, directory }: Subject,
  { env, cwd, interrupts }: CommandEnvironment,
): Debugger | undefined {
  const name = debuggerNamed(options);
  const named = options.break;
  if (name === undefined) {
    if (named === undefined) return undefined;
    throw new UsageError(`--break ${named}: a debugger is needed that stops there; add --gdb or --lldb`, {
      options: ['break'],
    });
  }
  demandOne(name, cases, log, cwd);
  const program = programOnPath(name, env);
  if (program === undefined)
    throw new UsageError(`--${name}: ${name} is not installed (${DEBUGGERS[name].install})`, { options: [name] });
  if (named !== undefined) demandFunction(named);
  demandRecording(name, program, env);
  const call = named ?? failedCall(log, cases[0]!.id, cwd);
  return {
    name,
    program,
    stop: call !== undefined && isFunction(call) ? { call } : {},
    recordings: join(directory, 'rr'),
    holdInterrupts: () => interrupts?.hold() ?? (() => {}),
  };
}

function demandOne(name: DebuggerName, cases: readonly Case[], log: string, cwd: string): void {
  if (cases.length === 1) return;
  const some = cases.slice(0, 3).map(({ id }) => `--tests '${id}'`);
  const advice = [...some, ...(cases.length > some.length ? ['…'] : [])].join(', ');
  throw new UsageError(
    `--${name}: one case at a time runs in a debugger, and ${cases.length} are selected; choose one: ${advice}, or of a failed run: npx pjrt-conformance report ${display(cwd, log)} names them`,
    { options: [name] },
  );
}

/** That a debugger which records can do so is seen before the run: otherwise every worker would end before it has begun. */
function demandRecording(name: DebuggerName, program: string, env: Environment): void {
  const { recording } = DEBUGGERS[name];
  const why = recording && refusalToRecord(program, recording, env);
  if (why === undefined) return;
  throw new UsageError(
    `--${name}: ${name} cannot record on this machine: ${why}${/[.!?]$/.test(why) ? '' : ';'} --gdb and --lldb need none of this`,
    {
      options: [name],
    },
  );
}

const functions = (): string[] => [...Abi.at(NEWEST_MINOR).functions, ...extensionFunctions().keys()];

const isFunction = (call: string): boolean => functions().includes(call);

function demandFunction(named: string): void {
  if (isFunction(named)) return;
  throw new UsageError(`--break ${named}: the C API has no such function${suggestion(named, functions())}`, {
    options: ['break'],
  });
}

/** The call in which a case failed, died or hung in an earlier run, if there is one. */
function failedCall(log: string, id: string, cwd: string): string | undefined {
  let result: CaseResult | undefined;
  try {
    result = runsIn([relative(cwd, log)], cwd).flatMap(({ run }) => run.cases.get(id)?.result ?? [])[0];
  } catch {
    // There is none, or nobody can read it.
  }
  if (!result || !VIOLATING_STATUSES.includes(result.status)) return undefined;
  return result.inFlight ?? result.findings.find(({ call }) => call !== undefined)?.call;
}

/** What the plan of a run has because of the debugger. */
export function debugged(
  how: Debugger | undefined,
  env: NodeJS.ProcessEnv,
): Pick<RunPlan, 'env' | 'under' | 'debugger'> {
  const recording = how && DEBUGGERS[how.name].recording;
  if (!recording) return { debugger: how, env };
  return {
    debugger: how,
    env: { ...env, [recording.directory]: how.recordings },
    under: [how.program, ...recording.prefix],
  };
}

/** How to go on after a run that was recorded; of the others there is nothing to say. */
export function afterwards(how: Debugger, cwd: string): Event | undefined {
  const { recording } = DEBUGGERS[how.name];
  if (!recording) return undefined;
  const message = existsSync(join(how.recordings, recording.made))
    ? `recorded; ${recording.replay(display(cwd, how.recordings))} plays it`
    : `${how.name} has recorded nothing: the worker ended before it began`;
  return { type: 'note', level: 'warning', message };
}
