import { guardedBlock } from '../../ffi/memory.ts';
import { CheckFailure } from '../../steps/outcome.ts';
import { fn, probe } from '../probe.ts';
import { control, runValidCall } from './run-valid-call.ts';

const NODE_BYTES = 40;
const PROFILER = 1;

let node: ReturnType<typeof guardedBlock> | undefined;

/** What frameworks hang on their calls: a profiler extension without a profiler, but with a trace id. */
export const callProfilerExtension = probe(
  'call-profiler-extension',
  { function: fn },
  (context, { function: name }) => {
    control(context, name);
    node ??= guardedBlock(NODE_BYTES);
    node.view.setBigUint64(0, BigInt(NODE_BYTES), true);
    node.view.setInt32(8, PROFILER, true);
    node.view.setBigInt64(32, 424242n, true);
    const { address } = node;
    const { error } = runValidCall(context, name, { before: (call) => call.setWord('extension_start', address) });
    if (!error) return;
    throw new CheckFailure({
      type: 'pjrt.UnexpectedError',
      message: `${name} returned ${error.codeName} when a profiler extension without a profiler is attached to its arguments`,
      detail: `message: ${error.text}`,
      call: name,
    });
  },
);
