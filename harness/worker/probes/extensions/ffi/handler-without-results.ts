import { probe } from '../../probe.ts';
import { hashed, same } from '../../support/checks.ts';
import { contentsOf, EXECUTE } from './call-frame.ts';
import { doubled } from './doubled.ts';
import { type Arguments, Handler } from './handler.ts';

/** A handler with a side effect and no results runs once in each execution, on what was computed before it. */
export const ffiHandlerWithoutResults = probe('ffi-handler-without-results', {}, async (context) => {
  let args: Arguments | undefined;
  const input = hashed('f32', [4]);
  const handler = await Handler.register(context, (frame) => {
    const [operand] = frame.operands();
    if (args?.onHost) same('the operand of a handler', doubled(input), contentsOf(operand!), EXECUTE, 'EXT-FFI-003');
    return undefined;
  });
  const executable = await handler.compile('custom_call/handler_without_results');
  args = handler.put([input]);
  for (const round of [1, 2]) {
    await handler.executeWell(executable, args);
    handler.expectCalls(round);
  }
});
