import type { Probe } from '../../steps/steps.ts';
import { dotPrecision } from './dot-precision.ts';
import { subnormalOperands } from './subnormal-operands.ts';

/** Probes of this area, by the names of names.ts. */
export const PROBES: Readonly<Record<string, Probe>> = {
  'dot-precision': dotPrecision,
  'subnormal-operands': subnormalOperands,
};
