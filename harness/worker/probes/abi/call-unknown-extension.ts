import { guardedBlock } from '../../ffi/memory.ts';
import { CheckFailure, NotSupported, SuiteFault } from '../../steps/outcome.ts';
import { fn, list, number, optional, probe } from '../probe.ts';
import { control, runValidCall } from './run-valid-call.ts';

const BASE_BYTES = 24;

/**
 * A chain of extensions that nobody knows, hung on the arguments. Each node ends at a guard page: whoever looks behind
 * its base crashes.
 */
export const callUnknownExtension = probe(
  'call-unknown-extension',
  { function: fn, types: optional(list(number)) },
  (context, { function: name, types }) => {
    if (!Array.isArray(types)) throw new SuiteFault('the probe needs the option types, a list of numbers');
    if (!context.api.abi.argsOf(name).has('extension_start')) {
      throw new NotSupported(`the arguments of ${name} take no extensions in 0.${context.api.abi.minor}`);
    }
    control(context, name);
    const { error } = runValidCall(context, name, {
      before: (call) => call.setWord('extension_start', chainOf(types)),
    });
    if (error) {
      throw new CheckFailure({
        type: 'pjrt.UnexpectedError',
        message: `${name} returned ${error.codeName} when extensions of unknown types ${types.join(', ')} are attached to its arguments`,
        detail: `message: ${error.text}`,
        call: name,
      });
    }
  },
);

const nodes = new Map<string, ReturnType<typeof guardedBlock>>();

/** Nodes of these types, each 24 bytes before an inaccessible page; kept for the next call. */
function chainOf(types: readonly number[]): bigint {
  let next = 0n;
  for (const [i, type] of [...types].entries()) {
    const key = `${types.join()} ${i}`;
    const node = nodes.get(key) ?? guardedBlock(BASE_BYTES);
    nodes.set(key, node);
    node.view.setBigUint64(0, BigInt(BASE_BYTES), true);
    node.view.setInt32(8, type, true);
    node.view.setBigUint64(16, next, true);
    next = node.address;
  }
  return next;
}
