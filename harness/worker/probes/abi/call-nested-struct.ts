import { guardedBlock, readBytes } from '../../ffi/memory.ts';
import { CheckFailure } from '../../steps/outcome.ts';
import { fn, probe, text } from '../probe.ts';
import { control, runValidCall } from './run-valid-call.ts';

const GROWTH = 64;

/** A struct behind a pointer in the arguments (`field`), larger than the plugin's own, as newer callers have it. */
export const callLargerNestedStruct = probe(
  'call-larger-nested-struct',
  { function: fn, field: text, struct: text },
  (context, { function: name, field, struct }) => {
    const { abi, pluginAbi } = context.api;
    const layout = abi.struct(struct);
    const bytes = Math.max(layout.size, pluginAbi.struct(struct).size) + GROWTH;
    control(context, name);
    // It ends at a guard page.
    const block = guardedBlock(Math.ceil(bytes / 8) * 8);
    const { error } = runValidCall(context, name, {
      before: (call) => {
        block.bytes.fill(0);
        block.bytes.set(readBytes(call.word(field), layout.size));
        block.view.setBigUint64(0, BigInt(bytes), true);
        call.setWord(field, block.address);
      },
    });
    if (!error) return;
    throw new CheckFailure({
      type: 'pjrt.UnexpectedError',
      message: `${name} returned ${error.codeName} to a ${struct} of ${bytes} bytes, as a newer caller sends it`,
      detail: `message: ${error.text}`,
      call: name,
    });
  },
);
