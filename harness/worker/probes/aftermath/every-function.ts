import type { HostArray } from '../../../knowledge/numerics/array.ts';
import type { Buffer } from '../../pjrt/buffer.ts';
import { PjrtError } from '../../pjrt/errors.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { PROVOCATIONS, provokeError } from '../../steps/provoke-error.ts';
import { runValidCall } from '../../steps/run-valid-call.ts';
import { VALID_CALLS } from '../../steps/valid-calls.ts';
import { oneOf, probe } from '../probe.ts';
import { hashed, same } from '../support/checks.ts';
import { download, upload } from '../support/client-work.ts';

/** Too small for the arguments of any function. */
const TWO_WORDS = 16;
/** The client of the case is to stay as it is. */
const LIFECYCLE = ['PJRT_Client_Create', 'PJRT_Client_Destroy'];

/**
 * Calls every function, as it should be or so that a plugin should refuse: with a struct_size that is too small, and those for
 * which something else can be wrong without harm in that way too. What the answers are is judged elsewhere, but an array that is
 * sent right before each call must be as it was right after it.
 */
export const everyFunction = probe('every-function', { how: oneOf('valid', 'refused') }, (context, { how }) => {
  let seed = 1;
  const attempt = (name: string, call: (beside: () => void) => void): void => {
    if (!context.api.has(name)) return;
    let beside: { array: HostArray; buffer: Buffer } | undefined;
    try {
      call(() => {
        const array = hashed('f32', [5], seed++);
        beside = { array, buffer: context.scope.own(upload(context.arena, context.client, array)) };
      });
    } catch (error) {
      if (!(error instanceof PjrtError || error instanceof NotSupported)) throw error;
    }
    if (!beside) return;
    const { array, buffer } = beside;
    same(`an array that was sent before ${name}`, array, download(context.arena, buffer, array), name, 'BUF-LIV-001');
    buffer.destroy();
  };
  const variation = how === 'refused' ? { structSize: TWO_WORDS } : {};
  for (const name of Object.keys(VALID_CALLS).filter((one) => !LIFECYCLE.includes(one)))
    attempt(name, (before) => runValidCall(context, name, { ...variation, before }));
  if (how === 'valid') return;
  for (const [name, { function: called }] of Object.entries(PROVOCATIONS))
    attempt(called, (before) => {
      before();
      provokeError(context, name)?.destroy();
    });
});
