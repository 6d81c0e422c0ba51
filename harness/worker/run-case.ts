import { introducedIn, NotInVersionError } from '../abi/index.ts';
import { AbsentError, BadDataError, PjrtError } from '../pjrt/errors.ts';
import type { Instrument } from '../pjrt/instrument.ts';
import { isDeclared } from '../plugins/declared.ts';
import { PROBES } from '../probes/probes.ts';
import type { Finding, Status } from '../report/events.ts';
import { CaseContext, type Seat } from '../steps/context.ts';
import { CheckFailure, NotSupported } from '../steps/outcome.ts';
import { runStep } from '../steps/steps.ts';
import type { Case } from '../suite/types.ts';
import type { WorkerResult } from '../wire/protocol.ts';
import { unmetNeed } from './needs.ts';
import { type Scheduling, scheduling } from './scheduling.ts';

/** Slots that frameworks test for NULL before they call: NULL means that the feature is not there (ABI-SLOT-003). */
const MAY_BE_NULL = new Set([
  'PJRT_Client_Load',
  'PJRT_LoadedExecutable_AddressableDeviceLogicalIds',
  'PJRT_Buffer_Bitcast',
  'PJRT_Event_Create',
  'PJRT_Event_Set',
  'PJRT_Device_GetAttributes',
  'PJRT_Device_ClearMemoryStats',
  'PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace',
  'PJRT_TopologyDescription_GetMemorySpaceKindIds',
]);

/** Runs one case in this process and says what became of it. Never throws. */
export async function runCase(testCase: Case, seats: readonly Seat[], instrument: Instrument): Promise<WorkerResult> {
  const context = new CaseContext(testCase, seats, instrument);
  const began = performance.now();
  const nativeBefore = instrument.nativeMs;
  const callsBefore = instrument.calls;
  instrument.takeTimes();
  const scheduledBefore = scheduling();
  const liveBefore = seats.map((s) => new Set(s.plugin.api.live));
  instrument.onFinding = (finding) => context.report(finding);
  let ended: { status?: Status; reason?: string } = {};
  try {
    const need = unmetNeed(context);
    if (need !== undefined) ended = { status: 'unsupported', reason: need };
    else for (const step of testCase.steps) await runStep(context, step, PROBES);
  } catch (error) {
    ended = explain(context, error);
  }
  context.scope.dispose((error) => {
    const fault = explain(context, error);
    if (fault.status === 'error') ended = fault;
  });
  let status = ended.status ?? worst(context.findings);
  const leaked = takeBack(context, liveBefore);
  if (leaked !== undefined) {
    // What ended the case weighs more: it may be why the case did not come to cleaning up.
    const decides = status === 'pass';
    context.report({ type: 'pjrt.HarnessError', level: decides ? 'must' : 'info', message: leaked });
    if (decides) status = 'error';
  }
  context.arena.release();
  instrument.onFinding = () => {};
  instrument.breadcrumb?.idle();
  return {
    status,
    findings: distinct(context.findings),
    ...(ended.reason === undefined ? {} : { reason: ended.reason }),
    durationMs: performance.now() - began,
    nativeMs: instrument.nativeMs - nativeBefore,
    calls: instrument.calls - callsBefore,
    ...timesOf(instrument),
    ...scheduledSince(scheduledBefore),
    ...(context.numerics.length > 0 ? { numerics: context.numerics } : {}),
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

/** The same finding at the same line is said once, however often the cleaning up met it again. */
const distinct = (findings: readonly Finding[]): Finding[] => [
  ...new Map(findings.map((f) => [`${f.line} ${f.type} ${f.message}`, f])).values(),
];

/** A broken OPT requirement is a broken MUST, because the plugin offers the feature; MAY can only warn. */
const levelOf = (testCase: Case): Finding['level'] =>
  testCase.level === 'should' || testCase.level === 'may' ? 'should' : 'must';

/** Turns what ended a case into findings, or into a status that is not about findings. */
function explain(context: CaseContext, error: unknown): { status?: Status; reason?: string } {
  const testCase = context.case;
  const optional = testCase.level === 'opt' || testCase.level === 'may';
  if (error instanceof CheckFailure) {
    context.report({ level: levelOf(testCase), ...error.finding });
    return {};
  }
  // A struct, field or value of the C API that this plugin or this caller is too old for.
  if (error instanceof NotInVersionError) return { status: 'unsupported', reason: error.message };
  if (error instanceof NotSupported) return { status: 'unsupported', reason: error.message };
  if (error instanceof PjrtError) {
    if (
      error.codeName === 'UNIMPLEMENTED' &&
      optional &&
      !isDeclared(context.seats[0]!.setup.declares, { function: error.call })
    ) {
      const [words] = error.text.split('\n');
      return { status: 'unsupported', reason: `${error.call} answers UNIMPLEMENTED${words ? `: ${words}` : ''}` };
    }
    context.report({
      type: 'pjrt.UnexpectedError',
      level: levelOf(testCase),
      message: `${error.call} failed with ${error.codeName}`,
      detail: `message: ${error.text}${error.payloads.map((p) => `\npayload ${p.key}: ${p.value}`).join('')}`,
      call: error.call,
    });
    return {};
  }
  if (error instanceof AbsentError) {
    if (error.absence !== 'NULL' || optional || MAY_BE_NULL.has(error.function)) {
      // Functions of extensions are `Extension.slot` and have no version.
      const since = error.function.includes('.') ? undefined : introducedIn(error.function);
      return {
        status: 'unsupported',
        reason: since === undefined ? error.message : `${error.message} (it came with 0.${since})`,
      };
    }
    context.report({
      type: 'pjrt.NullFunction',
      level: levelOf(testCase),
      message: error.message,
      call: error.function,
    });
    return {};
  }
  if (error instanceof BadDataError) {
    context.report({ type: 'pjrt.BadData', level: levelOf(testCase), message: error.message });
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

/**
 * A case must give back every handle it took; what is left over is the case's fault, not the plugin's.
 * @returns what was left over and is taken back
 */
function takeBack(context: CaseContext, before: readonly Set<unknown>[]): string | undefined {
  const left = context.seats.flatMap((seat, i) => [...seat.plugin.api.live].filter((h) => !before[i]!.has(h)));
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
