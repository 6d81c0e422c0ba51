import type { StructLayout } from '../../knowledge/abi/index.ts';
import type { PjrtApi } from '../pjrt/api.ts';
import type { Call, TakeError } from '../pjrt/call.ts';

const kept = new WeakMap<PjrtApi, Map<string, Call>>();

/**
 * An argument block of a layout of the caller's choice, kept for the next time: guarded blocks are never given back.
 * @param purpose distinguishes blocks of one function that differ in layout or in error handling
 */
export function keptCall(
  api: PjrtApi,
  name: string,
  purpose: string,
  layout?: StructLayout,
  takeError?: TakeError,
): Call {
  const calls = kept.get(api) ?? new Map<string, Call>();
  kept.set(api, calls);
  const key = `${name} ${purpose}`;
  let call = calls.get(key);
  if (!call) {
    call = api.block(name, { layout, takeError });
    calls.set(key, call);
  }
  return call;
}
