import { beginWrongCall, endWrongCall } from '../ffi/wrong-calls.ts';
import type { PjrtApi } from '../pjrt/api.ts';
import { Handle } from '../pjrt/handle.ts';
import { overrunRoom, writeArguments } from './call-arguments.ts';
import { takeHandles } from './call-results.ts';
import type { CaseContext } from './context.ts';
import { keptCall } from './kept-call.ts';
import { CheckFailure } from './outcome.ts';

/** A PJRT_Error as the plugin gave it, not yet read or destroyed. */
export class RawError extends Handle {
  readonly kind = 'PJRT_Error';
  protected readonly field = 'error';
  /** The function that returned it. */
  readonly from: string;

  constructor(api: PjrtApi, pointer: bigint, from: string) {
    super(api, pointer);
    this.from = from;
  }

  protected release(): void {
    this.invoke('PJRT_Error_Destroy');
  }
}

/** Carries a raw error out of a Call, which can only throw. */
class Returned extends Error {
  readonly pointer: bigint;

  constructor(pointer: bigint) {
    super('an error was returned');
    this.pointer = pointer;
  }
}

/**
 * Calls a function and returns its error unread. The case owns the results of a success.
 * @returns undefined when the call succeeded
 */
export function callForError(
  context: CaseContext,
  name: string,
  values: Readonly<Record<string, unknown>>,
  structSize?: number,
): RawError | undefined {
  const { api } = context;
  const call = keptCall(api, name, 'raw error', undefined, (error) => new Returned(error));
  call.reset(structSize);
  const rooms = writeArguments(context, call, values);
  beginWrongCall();
  try {
    call.run();
  } catch (error) {
    if (!(error instanceof Returned)) throw error;
    return new RawError(api, error.pointer, name);
  } finally {
    endWrongCall();
    context.instrument.breadcrumb?.idle();
  }
  if (overrunRoom(rooms)) {
    throw new CheckFailure({ type: 'pjrt.MemoryOverrun', message: `${name} wrote past its destination`, call: name });
  }
  takeHandles(context, call);
  return undefined;
}
