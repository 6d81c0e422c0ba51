import { PENDING_VIAS } from '../../steps/pending.ts';
import { oneOf, optional } from '../probe.ts';

/** The option `via` of a probe: what makes an event pending, and ends it. */
export const pendingVia = optional(oneOf(...PENDING_VIAS), 'manager');
