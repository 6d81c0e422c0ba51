import { PjrtError } from '../../pjrt/errors.ts';
import type { Probe } from '../../steps/steps.ts';

/** A second initialization: nobody says what it answers, so any answer will do; what comes after it counts. */
export const secondInitialize: Probe = (context) => {
  try {
    context.api.invoke('PJRT_Plugin_Initialize', () => {});
  } catch (error) {
    if (!(error instanceof PjrtError)) throw error;
  }
};
