import { guardedBlock, readBytes } from '../../ffi/memory.ts';
import { CheckFailure, NotSupported } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { olderSizes } from './call-struct-size.ts';
import { functionOption, textOption, wordOption } from './probe-options.ts';
import { control, runSoundCall } from './run-sound-call.ts';

const GROWTH = 64;

/**
 * A struct behind a pointer in the arguments (`field`), of another size than the plugin's own: `larger` as newer callers
 * have it, or every `older` size. It ends at a guard page in each case.
 */
export const callNestedStruct: Probe = (context, options) => {
  const name = functionOption(context, options);
  const field = textOption(options, 'field');
  const struct = textOption(options, 'struct');
  const which = wordOption(options, 'size', ['larger', 'older']);
  const { abi, pluginAbi } = context.api;
  const layout = abi.struct(struct);
  const largest = Math.max(layout.size, pluginAbi.struct(struct).size);
  const sizes = which === 'larger' ? [largest + GROWTH] : olderSizes(abi, struct).map((s) => s.bytes);
  if (sizes.length === 0) throw new NotSupported(`${struct} has always had the size it has in 0.${abi.minor}`);
  control(context, name);
  for (const bytes of sizes) {
    const room = Math.ceil(bytes / 8) * 8;
    const block = guardedBlock(room);
    const { error } = runSoundCall(context, name, {
      before: (call) => {
        block.bytes.fill(0);
        block.bytes.set(readBytes(call.word(field), Math.min(bytes, layout.size)));
        block.view.setBigUint64(0, BigInt(bytes), true);
        call.setWord(field, block.address);
      },
    });
    if (!error || which === 'older') continue;
    throw new CheckFailure({
      type: 'pjrt.UnexpectedError',
      message: `${name} returned ${error.codeName} to a ${struct} of ${bytes} bytes, as a newer caller sends it`,
      detail: `message: ${error.text}`,
      call: name,
    });
  }
};
