import type { StructLayout } from '../../abi/index.ts';
import { pjrtFunctionAt } from '../../ffi/function.ts';
import type { PjrtApi } from '../../pjrt/api.ts';
import { Call, type TakeError } from '../../pjrt/call.ts';

const kept = new WeakMap<PjrtApi, Map<string, Call>>();

/**
 * An argument block of a layout of the caller's choice, kept for the next time: guarded blocks are never given back.
 * @param purpose tells blocks of one function apart that differ in layout or in what becomes of an error
 */
export function keptCall(
  api: PjrtApi,
  name: string,
  purpose: string,
  layout?: StructLayout,
  takeError: TakeError = api.takeError,
): Call {
  const calls = kept.get(api) ?? new Map<string, Call>();
  kept.set(api, calls);
  const key = `${name} ${purpose}`;
  let call = calls.get(key);
  if (!call) {
    // First, so that a function that is not there says so.
    const address = api.demand(name);
    const returnsError = api.abi.returnType(name) !== 'void';
    call = new Call(
      name,
      layout ?? api.abi.argsOf(name),
      pjrtFunctionAt(address),
      returnsError,
      api.instrument,
      takeError,
    );
    calls.set(key, call);
  }
  return call;
}
