import type { Probe } from '../steps/steps.ts';
import { PROBES as ABI } from './abi/index.ts';
import { PROBES as BUFFERS } from './buffers/index.ts';
import { PROBES as CLIENT } from './client/index.ts';
import { PROBES as COEXISTENCE } from './coexistence/index.ts';
import { PROBES as COMPUTE } from './compute/index.ts';
import { PROBES as DISTRIBUTED } from './distributed/index.ts';

/** Probes by the name that suites use. */
export const PROBES: Readonly<Record<string, Probe>> = {
  ...ABI,
  ...CLIENT,
  ...BUFFERS,
  ...COMPUTE,
  ...DISTRIBUTED,
  ...COEXISTENCE,
};
