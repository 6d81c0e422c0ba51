import { isDeclared } from '../host/plugins/declared.ts';
import type { WorkerResult } from '../host/wire/protocol.ts';
import { introducedIn, NotInVersionError } from '../knowledge/abi/index.ts';
import type { CaseResult } from '../model/case-result.ts';
import type { Cause, Finding } from '../model/finding.ts';
import type { Status } from '../model/status.ts';
import type { Case } from '../suite/types.ts';
import { OutOfMemory } from './ffi/libc.ts';
import { unmetNeed } from './needs.ts';
import { AbsentError, AvoidedError, BadDataError, PjrtError } from './pjrt/errors.ts';
import type { Instrument } from './pjrt/instrument.ts';
import { loadProbe } from './probes/load-probe.ts';
import { type Scheduling, scheduling } from './scheduling.ts';
import { CaseContext, type Subject } from './steps/context.ts';
import { answerOf, CheckFailure, causeOf, causeOfAbsence, firstLine, NotSupported } from './steps/outcome.ts';
import { runStep } from './steps/steps.ts';

/** How a case ended, unless its findings show it. */
type Ended = Partial<Pick<CaseResult, 'status' | 'reason' | 'cause'>>;

/** Runs one case in this process and returns its result. Never throws. */
export async function runCase(
  testCase: Case,
  subjects: readonly Subject[],
  instrument: Instrument,
): Promise<WorkerResult> {
  const context = new CaseContext(testCase, subjects, instrument);
  const began = performance.now();
  const nativeBefore = instrument.nativeMs;
  const callsBefore = instrument.calls;
  instrument.takeTimes();
  instrument.buffersOnCpu = undefined;
  const scheduledBefore = scheduling();
  const liveBefore = subjects.map((s) => new Set(s.plugin.api.live));
  instrument.onFinding = (finding) => context.report(finding);
  let ended: Ended = {};
  context.onCleanupError = (error) => {
    const fault = explain(context, error);
    if (fault.status === 'error') ended = fault;
  };
  // Rejections from before the case are not its doing. Nothing is awaited here: if the plugin closes descriptors, another turn
  // of the event loop would abort in libuv before they are checked.
  unawaited.clear();
  instrument.recording?.case('begin');
  try {
    const need = unmetNeed(context);
    if (need) ended = unsupported(need.reason, need.cause);
    else {
      await context.readFiles();
      for (const step of testCase.steps) await runStep(context, step, loadProbe);
    }
    for (const error of await lateRejections()) throw error;
  } catch (error) {
    ended = explain(context, error);
    // What fails after the first failure follows from it.
    await lateRejections();
    await context.giveWithheld();
  }
  // What calls on other threads still use, such as an event that two of them wait for, must not be destroyed.
  const callsRunning = instrument.running > 0;
  // Cleanup destroys objects of all steps, so its errors count for the whole case.
  context.breaks = undefined;
  instrument.recording?.case('end');
  if (!callsRunning) context.scope.dispose(context.onCleanupError);
  const found = worst(context.findings);
  // Violations found before something turned out to be unsupported stand.
  if (ended.status === 'unsupported' && found !== 'pass') ended = {};
  let status = ended.status ?? found;
  const leaked = callsRunning ? 'calls of the case are still running at its end' : takeBack(context, liveBefore);
  if (leaked !== undefined) {
    // The error that ended the case takes precedence: it may be why cleanup was not reached.
    const decides = status === 'pass';
    context.report({ type: 'pjrt.HarnessError', level: decides ? 'must' : 'info', message: leaked });
    if (decides) status = 'error';
  }
  if (!callsRunning) context.arena.release();
  instrument.onFinding = () => {};
  instrument.breadcrumb?.idle();
  return {
    status,
    findings: distinct(context.findings),
    ...(callsRunning ? { spent: true as const } : {}),
    reason: ended.reason,
    cause: ended.cause,
    durationMs: performance.now() - began,
    nativeMs: instrument.nativeMs - nativeBefore,
    calls: instrument.calls - callsBefore,
    ...timesOf(instrument),
    ...scheduledSince(scheduledBefore),
    ...(context.numerics.length > 0 ? { numerics: context.numerics } : {}),
    ...(context.observed.length > 0 ? { observed: context.observed } : {}),
    ...(context.programMemory.length > 0 ? { programMemory: context.programMemory } : {}),
    buffersOnCpu: instrument.buffersOnCpu,
  };
}

const timesOf = (instrument: Instrument): Pick<WorkerResult, 'callMs'> => {
  const callMs = instrument.takeTimes();
  return Object.keys(callMs).length > 0 ? { callMs } : {};
};

function scheduledSince(before: Scheduling | undefined): Pick<WorkerResult, 'scheduling'> {
  const after = scheduling();
  if (!before || !after) return {};
  const since = (name: keyof Scheduling): number => Math.round((after[name] - before[name]) * 1000) / 1000;
  return { scheduling: { runningMs: since('runningMs'), waitingMs: since('waitingMs') } };
}

const worst = (findings: readonly Finding[]): Status =>
  findings.some((f) => f.level === 'must') ? 'fail' : findings.some((f) => f.level === 'should') ? 'warn' : 'pass';

/** Reports equal findings at the same line once, however often cleanup repeats them. */
const distinct = (findings: readonly Finding[]): Finding[] => [
  ...new Map(findings.map((f) => [`${f.line} ${f.type} ${f.message}`, f])).values(),
];

/**
 * Turns the error that ended a case into findings, or into a status without findings. What the plugin does not offer is
 * unsupported, whatever the case is about and whenever it shows: the plugin returns UNIMPLEMENTED (ABI-SLOT-002), or the slot
 * is NULL, which load/table:slots reports. Other errors are no excuse.
 */
function explain(context: CaseContext, error: unknown): Ended {
  if (error instanceof CheckFailure) {
    context.report(error.finding);
    return {};
  }
  // A struct, field or value of the C API for which this plugin or the simulated consumer is too old.
  if (error instanceof NotInVersionError) return { status: 'unsupported', reason: error.message };
  if (error instanceof NotSupported) return unsupported(error.message, error.cause);
  if (error instanceof PjrtError) {
    if (error.codeName === 'UNIMPLEMENTED' && !isDemanded(context, error.call)) {
      return unsupported(answerOf(error), causeOf(error));
    }
    if (isFurtherClient(context, error)) {
      return unsupported(`needs a second client: ${answerOf(error)}`, causeOf(error));
    }
    if (context.case.mayExhaust && isExhausted(error)) {
      return unsupported(`needs more than the plugin has: ${answerOf(error)}`, causeOf(error));
    }
    const said = firstLine(error.text);
    const missing = error.codeName === 'UNIMPLEMENTED';
    const declared = isDeclared(context.subjects[0]!.setup.declares, { function: error.call });
    context.report({
      type: missing ? 'pjrt.NotOffered' : 'pjrt.UnexpectedError',
      ...(missing && declared ? { level: 'must' as const } : {}),
      message: missing
        ? `${error.call} returns UNIMPLEMENTED, but ${declared ? "the plugin's manifest declares it" : 'every framework needs what this case requires'}`
        : `${error.call} failed with ${error.codeName}`,
      detail: `message: ${error.text}${error.payloads.map((p) => `\npayload ${p.key}: ${p.value}`).join('')}`,
      call: error.call,
      code: error.codeName,
      ...(context.subjects.length > 1 && error.plugin !== undefined ? { plugin: error.plugin } : {}),
      ...(said ? { said } : {}),
    });
    return {};
  }
  if (error instanceof AvoidedError) {
    return { status: 'skip', reason: error.message, cause: { kind: 'failed', call: error.call } };
  }
  if (error instanceof AbsentError) {
    // Functions of extensions are `Extension.slot` and have no version.
    const since = error.function.includes('.') ? undefined : introducedIn(error.function);
    return unsupported(
      since === undefined ? error.message : `${error.message} (it came with 0.${since})`,
      causeOfAbsence(error),
    );
  }
  const bad = badAnswer(error);
  if (bad) {
    const call = bad.call ?? context.instrument.returned;
    context.report({ type: 'pjrt.BadData', message: `${call ?? 'the plugin'} ${bad.what}`, call });
    return {};
  }
  const cause = error instanceof Error ? error : new Error(String(error));
  context.report({
    type: 'pjrt.HarnessError',
    level: 'must',
    message: `${cause.name}: ${cause.message.split('\n')[0]}`,
    detail: cause.stack ?? '',
  });
  return { status: 'error', reason: cause.message };
}

/** What is wrong with an answer that cannot be read, or followed. */
function badAnswer(error: unknown): { what: string; call?: string | undefined } | undefined {
  if (error instanceof BadDataError) return error;
  if (error instanceof OutOfMemory && error.isImpossible)
    return { what: `gave an answer that takes ${error.bytes} bytes of memory to follow` };
  return undefined;
}

/** Whether a function is required: by the case, or because the plugin's manifest declares it. */
const isDemanded = (context: CaseContext, name: string): boolean =>
  (context.case.demands?.includes(name) ?? false) ||
  isDeclared(context.subjects[0]!.setup.declares, { function: name });

/**
 * Whether a plugin refused another client while one exists. An accelerator may allow only one client at a time, so only steps
 * about several clients (which name their requirements) treat that as a violation.
 */
const isFurtherClient = (context: CaseContext, { call }: PjrtError): boolean =>
  call === 'PJRT_Client_Create' &&
  context.breaks === undefined &&
  context.subjects.some(({ plugin }) => [...plugin.api.live].some(({ kind }) => kind === 'PJRT_Client'));

/** Whether resources have run out, memory above all; not every plugin has the code for it. */
const isExhausted = ({ codeName, text }: PjrtError): boolean =>
  codeName === 'RESOURCE_EXHAUSTED' || /\bout of (?:\w+ )?memory\b|\bbad_alloc\b/i.test(text);

const unsupported = (reason: string, cause: Cause | undefined): Ended => ({ status: 'unsupported', reason, cause });

/**
 * A case must release every handle it took; leaks are an error of the case, not of the plugin.
 * @returns the leaked handles, which are released
 */
function takeBack(context: CaseContext, before: readonly Set<unknown>[]): string | undefined {
  const left = context.subjects.flatMap((subject, i) => [...subject.plugin.api.live].filter((h) => !before[i]!.has(h)));
  if (left.length === 0) return undefined;
  for (const handle of left) {
    try {
      handle.destroy();
    } catch {
      handle.disown();
    }
  }
  return `the case leaks ${left.length} handles: ${[...new Set(left.map((h) => h.kind))].sort().join(', ')}`;
}

/**
 * Promises that were rejected while nobody was waiting for them: a callback that meets a missing function fails before its
 * case asks for the result. Node would end the process, which would look like the plugin's doing.
 */
const unawaited = new Map<Promise<unknown>, unknown>();

process.on('unhandledRejection', (reason, promise) => unawaited.set(promise, reason));
process.on('rejectionHandled', (promise) => unawaited.delete(promise));

/** The errors that nobody has waited for until now; the next call returns later ones only. */
async function lateRejections(): Promise<unknown[]> {
  // Node reports a rejection after the current turn of its event loop.
  await new Promise((resolve) => setImmediate(resolve));
  const errors = [...unawaited.values()];
  unawaited.clear();
  return errors;
}
