import { Abi, type StructLayout } from '../abi/index.ts';
import type { RecordedStruct } from './arguments.ts';
import { enteredIn, leftIn } from './bodies.ts';
import type { Memory, TraceRecord } from './format.ts';
import { argumentsOf, type NamedRecord } from './named-records.ts';

/** One call of a plugin's function, as a recorder in the caller's process saw it. */
export interface ObservedCall {
  /** Of the API table (`PJRT_Buffer_Destroy`), or of an extension (`Layouts.PJRT_Layouts_MemoryLayout_Destroy`). */
  function: string;
  layout: StructLayout;
  /** Which of the plugins in the process. */
  plugin: number;
  /** Minor of that plugin's C API. */
  minor: number;
  thread: number;
  /** Place in the order of everything that happened in the process; returns have places of their own. */
  entered: number;
  /** The argument struct at entry. */
  before: Uint8Array;
  /** Where the call was made, in the caller's words. */
  location?: string;
  /** What lay at an address at that time, as much as was recorded; undefined if nothing was. */
  memory(address: bigint): Uint8Array | undefined;
}

/** The same call, when it has returned. */
export interface ReturnedCall extends ObservedCall {
  left: number;
  after: Uint8Array;
  /** Address of the error that it returned, or 0. */
  error: bigint;
  /** The code of that error; undefined if it was not asked. */
  code?: number;
}

/** A call that begins; undefined if the trace does not have its plugin. */
export function observed(named: NamedRecord): ObservedCall | undefined {
  const { record, name, minor } = named;
  const { args, memory } = enteredIn(record);
  const call = argumentsOf(named, { args, memory });
  if (!call || minor === undefined) return undefined;
  const { plugin, thread, order } = record;
  const location = locationOf(name, call, minor);
  return {
    ...{ function: name, layout: call.layout, plugin, minor, thread, entered: order, before: args },
    ...(location !== undefined && { location }),
    memory: reading(memory),
  };
}

/** A call when it has returned. */
export function returned(call: ObservedCall, record: TraceRecord): ReturnedCall {
  const { handle, args, memory, error } = leftIn(record);
  const memories = reading(memory, call.memory);
  return { ...call, left: record.order, after: args, error: handle, code: error?.code, memory: memories };
}

/** Where the caller says that it is. */
function locationOf(name: string, call: RecordedStruct, minor: number): string | undefined {
  if (name !== 'PJRT_LoadedExecutable_Execute') return undefined;
  const options = call.struct('options', Abi.at(minor).struct('PJRT_ExecuteOptions'));
  return options?.text('call_location')?.replace(/\0.*$/s, '') || undefined;
}

/** Memory of a record, then that of an earlier one. */
function reading(memory: readonly Memory[], before?: ObservedCall['memory']): ObservedCall['memory'] {
  const at = new Map(memory.map((one) => [one.address, one]));
  return (address) => at.get(address)?.data ?? before?.(address);
}
