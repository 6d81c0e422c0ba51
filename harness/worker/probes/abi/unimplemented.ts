import { CheckFailure } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { functionOption } from './probe-options.ts';
import { runValidCall } from './run-valid-call.ts';

/** Frameworks go on without these functions on UNIMPLEMENTED, and abort on every other error. */
export const worksOrUnimplemented: Probe = (context, options) => {
  const name = functionOption(context, options);
  const { error } = runValidCall(context, name);
  if (!error || error.codeName === 'UNIMPLEMENTED') return;
  throw new CheckFailure({
    type: 'pjrt.WrongError',
    message: `${name} returned ${error.codeName}; frameworks abort on anything but UNIMPLEMENTED`,
    detail: `message: ${error.text}`,
    call: name,
  });
};

/** A function that the case demands: whatever else is wrong with it, it may not answer that it is not there. */
export const offered: Probe = (context, options) => {
  const { error } = runValidCall(context, functionOption(context, options));
  if (error?.codeName === 'UNIMPLEMENTED') throw error;
};
