import type { Probe } from '../../steps/steps.ts';
import { functionOption } from './probe-options.ts';
import { runSoundCall } from './run-sound-call.ts';

/** A function that the case demands: whatever else is wrong with it, it may not answer that it is not there. */
export const offered: Probe = (context, options) => {
  const { error } = runSoundCall(context, functionOption(context, options));
  if (error?.codeName === 'UNIMPLEMENTED') throw error;
};
