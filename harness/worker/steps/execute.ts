import { setTimeout } from 'node:timers/promises';
import type { Step, StepBody } from '../../suite/types.ts';
import { othersBusy } from '../ffi/other-threads.ts';
import { watchRunDelay } from '../ffi/run-delay.ts';
import { Buffer } from '../pjrt/buffer.ts';
import { type Calls, elsewhere, here, noCalls } from '../pjrt/calls.ts';
import { PjrtError } from '../pjrt/errors.ts';
import { type ExecuteOptions, type Execution, LoadedExecutable } from '../pjrt/executable.ts';
import { OutputLists } from '../pjrt/output-lists.ts';
import { writeArguments } from './call-arguments.ts';
import type { CaseContext } from './context.ts';
import { expectingError } from './expected-error.ts';
import { remember } from './looks-like.ts';
import type { Origin } from './origin.ts';
import { CheckFailure } from './outcome.ts';
import { overwriting } from './overwritten.ts';
import { checkCut } from './pieces.ts';

type Execute = Extract<StepBody, { verb: 'execute' }>;

const CALL = 'PJRT_LoadedExecutable_Execute';

/**
 * `execute`: runs and waits for completion, unless that gets a name; every output is bound under its name, with `lists` as a
 * list by device.
 */
export function* execute(context: CaseContext, step: Execute): Calls<void> {
  const lists = listsOf(context, step);
  if (step.cut) checkCut(context, executableOf(context, step), step.cut);
  const into = step.checked
    ? new OutputLists(context.arena, lists.length, executableOf(context, step).numOutputs(), true)
    : undefined;
  const started = overwriting(context.arena, step.overwritten, starting(context, step, lists, into));
  const succeeded = yield* ending(context, step, started);
  // A call that was accepted and failed later may have written what it liked.
  if (into && !(succeeded && step.error)) checkLists(step, into, succeeded);
}

const executableOf = (context: CaseContext, step: Execute): LoadedExecutable =>
  context.resolveAs(step.executable, LoadedExecutable, 'a loaded executable');

const listsOf = (context: CaseContext, step: Execute): Buffer[][] =>
  step.lists
    ? step.lists.map((list) => list.map((ref) => context.resolveBuffer(ref)))
    : [argumentsOf(context, step.args ?? [])];

const starting = (context: CaseContext, step: Execute, lists: Buffer[][], into?: OutputLists): Calls<Execution> =>
  executableOf(context, step).executing(context.arena, lists, { ...executeOptions(context, step), into });

/** `checked`: every slot has a handle, nothing around the lists was written, and nothing at all by a call that failed. */
function checkLists(step: Execute, into: OutputLists, succeeded: boolean): void {
  const fail = (message: string, requirement?: string): never => {
    const requirements = requirement === undefined ? {} : { requirements: [requirement] };
    throw new CheckFailure({ type: 'pjrt.OutputTouched', message: `${CALL} ${message}`, call: CALL, ...requirements });
  };
  const overrun = into.overrun();
  if (overrun.length > 0) fail(`wrote outside of ${overrun.join(' and ')}`, 'RUN-OUT-001');
  const [outputs, events] = [into.outputs().flat(), into.events()];
  if (!succeeded) {
    if (events.some((word) => word !== undefined))
      fail('failed, but wrote completion events: they would never be destroyed');
    return;
  }
  const missing = outputs.indexOf(undefined);
  if (missing >= 0) fail(`left slot ${missing} of ${outputs.length} outputs without a buffer`, 'RUN-OUT-001');
  if (step.events === false) return;
  if (events.includes(undefined)) fail('made no completion event', 'RUN-EVT-001');
}

/** @returns whether the call succeeded, whatever came of it later */
function* ending(context: CaseContext, step: Execute, started: Calls<Execution>): Calls<boolean> {
  let returned = false;
  const watched = (function* (): Calls<Execution> {
    const execution = yield* started;
    returned = true;
    return execution;
  })();
  const outcome = yield* expectingError(context, step.error, CALL, settle(context, step, watched));
  if ('value' in outcome) bindResult(context, step, outcome.value);
  return returned;
}

/**
 * `execute` with steps that happen while the call, on another thread, may be waiting for its arguments.
 * @param run runs one of these steps
 */
export async function executeMeanwhile(
  context: CaseContext,
  step: Execute & { steps: readonly Step[] },
  run: (step: Step) => Promise<void>,
): Promise<void> {
  const returned = elsewhere(starting(context, step, listsOf(context, step))).then(
    (execution) => noCalls(() => execution),
    (error: unknown) =>
      noCalls((): Execution => {
        throw error;
      }),
  );
  await context.yieldToCalls();
  await untilItWaits();
  await context.within(async () => {
    for (const inner of step.steps) await run(inner);
  });
  here(ending(context, step, await returned));
}

/** Looks at the other threads until they are at rest: on a busy machine, the thread that makes the call may not have come so far. */
const LOOKS = { mostMs: 100, atRest: 3, apartMs: 1 };

/**
 * Until the call on another thread has returned, or waits inside the plugin; at most 0.1 s, because a plugin may have threads that never
 * rest. Time in which threads have no processor does not count.
 */
export async function untilItWaits(): Promise<void> {
  const [began, delayed] = [performance.now(), watchRunDelay()];
  for (let atRest = 0; atRest < LOOKS.atRest && performance.now() - began - delayed() < LOOKS.mostMs; ) {
    atRest = othersBusy() ? 0 : atRest + 1;
    await setTimeout(LOOKS.apartMs);
  }
}

function executeOptions(context: CaseContext, step: Execute): ExecuteOptions {
  const device = step.device === undefined ? undefined : context.resolveDevice(step.device);
  return {
    events: step.events ?? true,
    launchId: step.launchId,
    nonDonatable: step.nonDonatable,
    device: device?.pointer,
    ...(step.options ? { fill: (view) => writeArguments(context, view, step.options!) } : {}),
  };
}

/** Takes over what an execution has made and waits for its end. It may fail after it was enqueued: then events carry the error. */
function* settle({ scope }: CaseContext, step: Execute, started: Calls<Execution>): Calls<Execution> {
  const execution = yield* started;
  const outputs = execution.outputs.flat();
  for (const output of outputs) scope.own(output);
  for (const event of execution.events) scope.own(event);
  if (step.completion === undefined) for (const event of execution.events) yield* event.waiting();
  if (step.error !== undefined) for (const output of outputs) yield* awaitOutput(output, execution.events.length > 0);
  return execution;
}

function bindResult(context: CaseContext, step: Execute, { outputs: byDevice, events }: Execution): void {
  const program = context.originsOf(step.executable)[0];
  const origin = (what: string): Origin[] => [{ call: CALL, text: program ? `${what} of ${program.text}` : what }];
  if (step.completion !== undefined)
    context.bind(step.completion, step.lists ? events : events[0], origin('completion event'));
  if (program && !step.lists) {
    const args = argumentsOf(context, step.args ?? []);
    for (const output of byDevice[0]!) remember(output, { run: { program: program.text, args } });
  }
  const names = step.as ?? [];
  const count = byDevice[0]!.length;
  if (typeof names === 'string') {
    context.bind(names, step.lists ? byDevice : byDevice[0], origin('outputs'));
    return;
  }
  if (names.length > 0 && count !== names.length) throw otherOutputs(count, names.length);
  names.forEach((name, i) => {
    const buffers = step.lists ? byDevice.map((outputs) => outputs[i]) : byDevice[0]![i];
    context.bind(name, buffers, origin(count > 1 ? `output ${i}` : 'the output'));
  });
}

/** A program has another number of outputs than it should. */
export const otherOutputs = (count: number, expected: number): CheckFailure =>
  new CheckFailure({
    type: 'pjrt.AssertionFailed',
    message: `the program has ${count} outputs, expected ${expected}`,
    call: CALL,
  });

/** The buffers, and those of the lists, that `args` refers to. */
const argumentsOf = (context: CaseContext, args: readonly string[] | string): Buffer[] =>
  [args].flat().flatMap((ref) => {
    const list = context.resolve(ref);
    if (!Array.isArray(list)) return context.resolveBuffer(ref);
    return list.map((value, i) => context.typed(value, `${ref}[${i}]`, Buffer, 'a buffer'));
  });

/** @param completed a completion event was there, and has said that the execution succeeded */
function* awaitOutput(output: Buffer, completed: boolean): Calls<void> {
  const early = completed && !isReady(output);
  try {
    yield* output.readying();
  } catch (error) {
    if (!completed || !(error instanceof PjrtError)) throw error;
    throw new CheckFailure({
      type: early ? 'pjrt.EventContract' : 'pjrt.LostError',
      message: early
        ? `the completion event of ${CALL} is ready before an output is, which ends in ${error.codeName}`
        : `the completion event of ${CALL} reports success, but an output ends in ${error.codeName}`,
      detail: `message: ${error.text}`,
      call: CALL,
      requirements: ['RUN-EVT-004'],
    });
  }
}

function isReady(buffer: Buffer): boolean {
  const event = buffer.readyEvent();
  try {
    return event.isReady();
  } finally {
    event.destroy();
  }
}
