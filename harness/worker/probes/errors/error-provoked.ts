import { provokeAnyError } from '../../steps/provoke-error.ts';
import { probe } from '../probe.ts';

/** Provokes an error, and destroys it. */
export const errorProvoked = probe('error-provoked', {}, (context) => provokeAnyError(context).destroy());
