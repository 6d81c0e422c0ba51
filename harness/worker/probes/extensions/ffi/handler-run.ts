import { fetchArray } from '../../../steps/transfer.ts';
import { probe } from '../../probe.ts';
import { hashed, same, violated } from '../../support/checks.ts';
import { contentsOf, EXECUTE, typeOf, writeResult } from './call-frame.ts';
import { doubled } from './doubled.ts';
import { type Arguments, Handler } from './handler.ts';

const CONTENTS = 'EXT-FFI-003';
const OPERANDS = 'f32[2,3], s32[5]';
const RESULTS = 'f32[3,2], s32[5]';

/** A handler runs once in each execution, on what was computed before it; what it writes is computed with after it. */
export const ffiHandlerRun = probe('ffi-handler-run', {}, async (context) => {
  let args: Arguments | undefined;
  const inputs = [hashed('f32', [2, 3]), hashed('s32', [5], 3)];
  const made = [hashed('f32', [3, 2], 7), hashed('s32', [5], 9)];
  const handler = await Handler.register(context, (frame) => {
    const [operands, results] = [frame.operands(), frame.results()];
    const types = [operands.map(typeOf).join(', '), results.map(typeOf).join(', ')];
    if (types[0] !== OPERANDS) violated(`a handler gets ${types[0]}, expected ${OPERANDS}`, EXECUTE, CONTENTS);
    if (types[1] !== RESULTS) violated(`a handler is to make ${types[1]}, expected ${RESULTS}`, EXECUTE, CONTENTS);
    if (args?.onHost) {
      [doubled(inputs[0]!), inputs[1]!].forEach((expected, i) => {
        same(`operand ${i} of a handler`, expected, contentsOf(operands[i]!), EXECUTE, CONTENTS);
      });
      results.forEach((result, i) => {
        writeResult(result, made[i]!);
      });
    }
    return undefined;
  });
  const executable = await handler.compile('custom_call/handler');
  args = handler.put(inputs);
  for (const round of [1, 2]) {
    const outputs = await handler.executeWell(executable, args);
    handler.expectCalls(round);
    if (!args.onHost) continue;
    [doubled(made[0]!), made[1]!].forEach((expected, i) => {
      same(`output ${i}`, expected, fetchArray(context, outputs[i]!), EXECUTE, CONTENTS);
    });
  }
});
