import { errorOfAsync } from '../../../pjrt/errors.ts';
import { probe } from '../../probe.ts';
import { hashed } from '../../support/checks.ts';
import { expectFailure, fail } from './failure.ts';
import { Handler } from './handler.ts';

/** The error that a handler makes, whose message is gone when it returns, is that of its execution, and of no other. */
export const ffiHandlerError = probe('ffi-handler-error', {}, async (context) => {
  let fails = true;
  const handler = await Handler.register(context, (frame) => (fails ? fail(frame) : undefined));
  const executable = await handler.compile('custom_call/handler');
  const args = handler.put([hashed('f32', [2, 3]), hashed('s32', [5])]);
  expectFailure(context, await errorOfAsync(handler.execute(executable, args)));
  handler.expectCalls(1);
  fails = false;
  await handler.executeWell(executable, args);
  handler.expectCalls(2);
});
