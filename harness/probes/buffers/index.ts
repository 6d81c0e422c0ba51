import type { Probe } from '../../steps/steps.ts';
import { eventOnReady } from './event-on-ready.ts';

/** Probes of this area, by the names of names.ts. */
export const PROBES: Readonly<Record<string, Probe>> = {
  'event-on-ready': eventOnReady,
};
