/** Where a worker is to stop in a debugger: at every call of a function of the C API, or at the first call of the case. */
export interface StopAt {
  call?: string | undefined;
}
