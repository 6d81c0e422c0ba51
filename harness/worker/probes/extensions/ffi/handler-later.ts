import { setTimeout as pauseFor } from 'node:timers/promises';
import type { Buffer } from '../../../pjrt/buffer.ts';
import { errorOfAsync } from '../../../pjrt/errors.ts';
import type { CaseContext } from '../../../steps/context.ts';
import { fetchArray } from '../../../steps/transfer.ts';
import { probe } from '../../probe.ts';
import { hashed, same, violated } from '../../support/checks.ts';
import { type CallFrame, EXECUTE, writeResult } from './call-frame.ts';
import { doubled } from './doubled.ts';
import { expectFailure, fail } from './failure.ts';
import { type Arguments, Handler } from './handler.ts';

const LATER = 'EXT-FFI-008';
/** Turns of the event loop in which an execution that does not wait would end. */
const TURNS = 20;

interface Left {
  frame: CallFrame;
  future: bigint;
}

/** What a handler leaves to a future ends with it: only then is the execution complete, and what was written by then counts. */
export const ffiHandlerLater = probe('ffi-handler-later', {}, async (context) => {
  const made = [hashed('f32', [3, 2], 7), hashed('s32', [5], 9)];
  const { args, running } = await leaveToFuture(context, ({ frame, future }, onHost) => {
    if (onHost) {
      frame.results().forEach((result, i) => {
        writeResult(result, made[i]!);
      });
    }
    frame.endFuture(future);
  });
  const outputs = await running;
  if (!args.onHost) return;
  [doubled(made[0]!), made[1]!].forEach((expected, i) => {
    same(`output ${i}`, expected, fetchArray(context, outputs[i]!), EXECUTE, LATER);
  });
});

/** The error of a future that a handler has left is that of the execution. */
export const ffiHandlerFailsLater = probe('ffi-handler-fails-later', {}, async (context) => {
  const { running } = await leaveToFuture(context, ({ frame, future }) => frame.endFuture(future, fail(frame)));
  expectFailure(context, await errorOfAsync(running));
});

/** Executes a program whose handler leaves a future, which is ended when it is seen that the execution waits for it. */
async function leaveToFuture(
  context: CaseContext,
  end: (left: Left, onHost: boolean) => void,
): Promise<{ args: Arguments; running: Promise<Buffer[]> }> {
  let left: Left | undefined;
  const handler = await Handler.register(context, (frame) => {
    left = { frame, future: frame.leaveFuture() };
    return undefined;
  });
  const executable = await handler.compile('custom_call/handler');
  const args = handler.put([hashed('f32', [2, 3]), hashed('s32', [5])]);
  let over = false;
  const running = handler.execute(executable, args).finally(() => {
    over = true;
  });
  // The caller looks at its outcome; until then a failure must not end the process.
  running.catch(() => {});
  // Without calls of the API: one lock around them all may be held until the future ends.
  while (!over && handler.calls === 0) await pauseFor(1);
  for (let turn = 0; !over && turn < TURNS; turn++) await pauseFor(1);
  if (!over) {
    handler.expectCalls(1);
    end(left!, args.onHost);
    return { args, running };
  }
  // Memory and future may be gone: they are not touched.
  await running;
  handler.expectCalls(1);
  violated('an execution is complete before the future that its handler left is', EXECUTE, LATER);
}
