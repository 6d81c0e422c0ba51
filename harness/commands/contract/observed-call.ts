import type { StructLayout } from '../../knowledge/abi/index.ts';

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
