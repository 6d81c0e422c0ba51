import { CheckFailure } from '../../steps/outcome.ts';
import { runValidCall } from '../abi/run-valid-call.ts';
import { fn, probe } from '../probe.ts';

/** Frameworks go on without these functions on UNIMPLEMENTED, and abort on every other error. */
export const worksOrUnimplemented = probe('works-or-unimplemented', { function: fn }, (context, { function: name }) => {
  const { error } = runValidCall(context, name);
  if (!error || error.codeName === 'UNIMPLEMENTED') return;
  throw new CheckFailure({
    type: 'pjrt.WrongError',
    message: `${name} returned ${error.codeName}; frameworks abort on anything but UNIMPLEMENTED`,
    detail: `message: ${error.text}`,
    call: name,
  });
});

/** A function that the case demands: whatever else is wrong with it, it may not answer that it is not there. */
export const offered = probe('offered', { function: fn }, (context, { function: name }) => {
  const { error } = runValidCall(context, name);
  if (error?.codeName === 'UNIMPLEMENTED') throw error;
});
