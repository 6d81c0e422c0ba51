import type { Buffer } from '../pjrt/buffer.ts';
import { PjrtError } from '../pjrt/errors.ts';
import { LoadedExecutable } from '../pjrt/executable.ts';
import type { StepBody } from '../suite/types.ts';
import { writeArguments } from './call-arguments.ts';
import type { CaseContext } from './context.ts';
import { expectingError } from './expected-error.ts';
import { CheckFailure, SuiteFault } from './outcome.ts';
import { overwriting } from './overwritten.ts';

type Execute = Extract<StepBody, { verb: 'execute' }>;

/** `execute`: runs and waits for completion; every output is bound under its name, with `lists` as a list by device. */
export function execute(context: CaseContext, step: Execute): void {
  const { scope } = context;
  const executable = context.resolveAs(step.executable, LoadedExecutable, 'a loaded executable');
  const lists = step.lists
    ? step.lists.map((list) => list.map((ref) => context.resolveBuffer(ref)))
    : [argumentsOf(context, step.args ?? [])];
  const device = step.device === undefined ? undefined : context.resolveDevice(step.device);
  const names = step.as ?? [];
  const outcome = expectingError(context, step.error, 'PJRT_LoadedExecutable_Execute', () => {
    const run = overwriting(context.arena, step.overwritten, () =>
      executable.execute(context.arena, lists, {
        events: step.events ?? true,
        ...(step.launchId === undefined ? {} : { launchId: step.launchId }),
        ...(step.nonDonatable ? { nonDonatable: step.nonDonatable } : {}),
        ...(device ? { device: device.pointer } : {}),
        ...(step.options ? { fill: (view) => writeArguments(context, view, step.options!) } : {}),
      }),
    );
    const outputs = run.outputs.flat();
    for (const output of outputs) scope.own(output);
    for (const event of run.events) scope.own(event);
    // An execution may fail after it was enqueued: then the events carry the error.
    for (const event of run.events) event.await();
    if (step.error !== undefined) for (const output of outputs) awaitOutput(output, run.events.length > 0);
    return run.outputs;
  });
  if ('error' in outcome) return;
  const byDevice = outcome.value;
  const count = byDevice[0]!.length;
  if (typeof names === 'string') {
    context.bind(names, step.lists ? byDevice : byDevice[0]);
    return;
  }
  if (names.length > 0 && count !== names.length) {
    throw new CheckFailure({
      type: 'pjrt.AssertionFailed',
      message: `the program has ${count} outputs, expected ${names.length}`,
      call: 'PJRT_LoadedExecutable_Execute',
    });
  }
  names.forEach((name, i) => {
    context.bind(name, step.lists ? byDevice.map((outputs) => outputs[i]) : byDevice[0]![i]);
  });
}

/** The list that `args` refers to, or the buffers that it names. */
const argumentsOf = (context: CaseContext, args: readonly string[] | string): Buffer[] => {
  if (typeof args !== 'string') return args.map((ref) => context.resolveBuffer(ref));
  const list = context.resolve(args);
  if (!Array.isArray(list)) throw new SuiteFault(`${args} is not a list`);
  return list.map((_, i) => context.resolveBuffer(`${args}[${i}]`));
};

/** @param completed a completion event was there, and has said that the execution succeeded */
function awaitOutput(output: Buffer, completed: boolean): void {
  try {
    output.awaitReady();
  } catch (error) {
    if (!completed || !(error instanceof PjrtError)) throw error;
    throw new CheckFailure({
      type: 'pjrt.LostError',
      message: `the completion event reports success, but an output ends in ${error.codeName}`,
      detail: `message: ${error.text}`,
      call: 'PJRT_LoadedExecutable_Execute',
      requirements: ['RUN-EVT-004'],
    });
  }
}
