import { extensionFunction, isExtensionFunction, type StructLayout } from '../../knowledge/abi/index.ts';
import type { PjrtApi } from '../pjrt/api.ts';
import type { Call } from '../pjrt/call.ts';
import { type Calls, here, noCalls } from '../pjrt/calls.ts';
import { PluginExtension } from '../pjrt/extension-call.ts';
import { NotSupported } from './outcome.ts';

const found = new WeakMap<PjrtApi, Map<string, PluginExtension>>();

/**
 * Runs something with the argument block of a function: of the C API, or of an extension (`Layouts.PJRT_Layouts_…`).
 * @throws NotSupported where the plugin has no such extension, AbsentError where it has no such function
 */
export const withCall = <T>(api: PjrtApi, name: string, run: (call: Call) => T): T =>
  here(withBlock(api, name, (call) => noCalls(() => run(call))));

/** The same for calls on whatever thread. There is one block of each function of an extension, so those stay on this one. */
export function* withBlock<T>(api: PjrtApi, name: string, run: (call: Call) => Calls<T>): Calls<T> {
  const ofExtension = isExtensionFunction(name);
  const call = ofExtension ? beginOfExtension(api, name) : api.begin(name);
  try {
    return ofExtension ? here(run(call)) : yield* run(call);
  } finally {
    api.instrument.breadcrumb?.idle();
    if (!isExtensionFunction(name)) api.finish(call);
  }
}

/** Layout of the argument struct of a function of either kind. */
export const argsOf = ({ abi }: PjrtApi, name: string): StructLayout =>
  isExtensionFunction(name) ? extensionFunction(name).args() : abi.argsOf(name);

/** The argument block of a function of an extension, empty. @throws NotSupported, AbsentError */
export function beginOfExtension(api: PjrtApi, name: string): Call {
  const { extension, slot } = extensionFunction(name);
  let known = found.get(api);
  if (!known) {
    known = new Map();
    found.set(api, known);
  }
  let has = known.get(extension);
  if (!has) {
    const offered = PluginExtension.find(api, extension);
    if (typeof offered === 'string') throw new NotSupported(offered, { kind: 'absent', call: extension });
    has = offered;
    known.set(extension, has);
  }
  return has.begin(slot);
}
