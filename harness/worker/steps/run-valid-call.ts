import { isExtensionFunction, type StructLayout } from '../../knowledge/abi/index.ts';
import { leaveBehind } from '../ffi/left-behind.ts';
import { Buffer } from '../pjrt/buffer.ts';
import type { Call } from '../pjrt/call.ts';
import type { Client } from '../pjrt/client.ts';
import { BadDataError, PjrtError } from '../pjrt/errors.ts';
import { Event } from '../pjrt/event.ts';
import type { Handle } from '../pjrt/handle.ts';
import { overrunRoom, writeArguments } from './call-arguments.ts';
import { readField, takeHandles } from './call-results.ts';
import type { CaseContext } from './context.ts';
import { derivedObjects } from './derived-objects.ts';
import { EXTENSION_CALLS } from './extension-calls.ts';
import { keptCall } from './kept-call.ts';
import { beginOfExtension } from './named-call.ts';
import { CheckFailure, lacksHelper, SuiteFault } from './outcome.ts';
import { UNSOUND, VALID_CALLS } from './valid-calls.ts';
import { bindNames, named } from './valid-objects.ts';

const CREATE_CLIENT = 'PJRT_Client_Create';
/** The client of an earlier valid call of the case: a plugin may refuse a second one while it exists. */
const earlierClients = new WeakMap<CaseContext, Client>();

/** How a call differs from the usual one. */
export interface Variation {
  /** Layout, and with it the place of the guard page, of the argument block. */
  layout?: StructLayout;
  /** With the same arguments as last time. */
  again?: true;
  /** struct_size to declare. */
  structSize?: number;
  /** Runs when the arguments are written, right before the call. */
  before?(call: Call, given: ReadonlySet<string>): void;
  /** Runs right after the call, before outputs are read. */
  after?(call: Call, failed: boolean): void;
}

export interface ValidAnswer {
  error?: PjrtError;
  /** Out-fields of a success, decoded. */
  outputs: Map<string, unknown>;
}

/**
 * Calls a function with valid arguments. The case's scope owns what it makes.
 * @throws NotSupported when an argument cannot be had from this plugin
 */
export function runValidCall(context: CaseContext, name: string, variation: Variation = {}): ValidAnswer {
  const { api } = context;
  const valid = VALID_CALLS[name] ?? EXTENSION_CALLS[name];
  if (!valid) throw new SuiteFault(`${name} has no valid call: ${UNSOUND[name] ?? 'unknown function'}`);
  if (name === CREATE_CLIENT) earlierClients.get(context)?.destroy();
  if (!variation.again) bindNames(context, valid.with, DERIVED);
  const execution = name === 'PJRT_LoadedExecutable_Execute' ? bindExecution(context) : undefined;
  const { layout } = variation;
  const call = isExtensionFunction(name)
    ? beginOfExtension(api, name)
    : keptCall(api, name, layout ? `valid ${layout.size}` : 'valid', layout);
  call.reset(variation.structSize);
  const values = Object.fromEntries(Object.entries(valid.with).filter(([field]) => call.layout.has(field)));
  const rooms = writeArguments(context, call, values);
  variation.before?.(call, new Set(Object.keys(values)));
  let error: PjrtError | undefined;
  try {
    call.run();
  } catch (thrown) {
    if (!(thrown instanceof PjrtError)) throw thrown;
    error = thrown;
  }
  variation.after?.(call, error !== undefined);
  context.instrument.breadcrumb?.idle();
  const overrun = overrunRoom(rooms);
  if (overrun) {
    throw new CheckFailure({
      type: 'pjrt.MemoryOverrun',
      message: `${name} wrote past the ${overrun.bytes} bytes of ${overrun.field}`,
      call: name,
    });
  }
  valid.settle?.(context, error === undefined);
  if (error) return { error, outputs: new Map() };
  if (valid.consumes) {
    const consumed = context.resolve(valid.consumes) as Handle;
    consumed.disown();
    // A function that returns nothing does not say that it has refused.
    if (variation.structSize !== undefined && name === 'PJRT_Error_Destroy') leaveBehind(consumed.pointer);
  }
  execution?.take();
  const taken = takeHandles(context, call);
  if (name === CREATE_CLIENT) earlierClients.set(context, taken.get('client') as Client);
  if (valid.awaits) (taken.get(valid.awaits) as Event | undefined)?.await();
  return { outputs: new Map(call.layout.outputs.map((f) => [f.name, readField(context, call, f, taken, rooms)])) };
}

/** Like `runValidCall` for a call that has to work. @throws NotSupported with the plugin's answer when it does not */
export function control(context: CaseContext, name: string): ValidAnswer {
  const answer = runValidCall(context, name);
  if (answer.error) {
    throw lacksHelper(answer.error);
  }
  return answer;
}

/** An object among the outputs of a call that has succeeded. @throws BadDataError */
export function createdIn<T>({ outputs }: ValidAnswer, name: string, field: string): T {
  const object = outputs.get(field);
  if (object === undefined) throw new BadDataError(`succeeded, but its ${field} is NULL`, name);
  return object as T;
}

const DERIVED = derivedObjects(runValidCall);

/** The object that a valid argument names. @throws NotSupported when this plugin cannot make it */
export const validObject = (context: CaseContext, name: string): unknown => named(context, name, DERIVED);

/** Memory for the outputs of an execution, and their cleanup. */
function bindExecution(context: CaseContext): { take(): void } {
  const { arena, api, scope } = context;
  const outputs = arena.pointers([0n]);
  const events = arena.pointers([0n]);
  context.bind('output_lists', arena.pointers([outputs.address]).address);
  context.bind('complete_events', events.address);
  return {
    take: () => {
      scope.own(new Buffer(api, outputs.view.getBigUint64(0, true)));
      scope.own(new Event(api, events.view.getBigUint64(0, true))).await();
    },
  };
}
