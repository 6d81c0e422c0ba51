import type { Probe } from '../steps/steps.ts';
import { eventOnReady } from './event-on-ready.ts';

/** Probes by the name that suites use. */
export const PROBES: Readonly<Record<string, Probe>> = {
  'event-on-ready': eventOnReady,
};
