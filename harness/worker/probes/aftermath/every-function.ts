import { PjrtError } from '../../pjrt/errors.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { PROVOCATIONS, provokeError } from '../../steps/provoke-error.ts';
import { runValidCall } from '../../steps/run-valid-call.ts';
import { VALID_CALLS } from '../../steps/valid-calls.ts';
import { oneOf, probe } from '../probe.ts';

/** Too small for the arguments of any function. */
const TWO_WORDS = 16;
/** The client of the case is to stay as it is. */
const LIFECYCLE = ['PJRT_Client_Create', 'PJRT_Client_Destroy'];

/**
 * Calls every function, as it should be or so that a plugin should refuse: with a struct_size that is too small, and those for
 * which something else can be wrong without harm in that way too. What the answers are is judged elsewhere.
 */
export const everyFunction = probe('every-function', { how: oneOf('valid', 'refused') }, (context, { how }) => {
  const attempt = (name: string, call: () => void): void => {
    if (!context.api.has(name)) return;
    try {
      call();
    } catch (error) {
      if (!(error instanceof PjrtError || error instanceof NotSupported)) throw error;
    }
  };
  const variation = how === 'refused' ? { structSize: TWO_WORDS } : {};
  for (const name of Object.keys(VALID_CALLS).filter((one) => !LIFECYCLE.includes(one)))
    attempt(name, () => runValidCall(context, name, variation));
  if (how === 'valid') return;
  for (const [name, { function: called }] of Object.entries(PROVOCATIONS))
    attempt(called, () => provokeError(context, name)?.destroy());
});
