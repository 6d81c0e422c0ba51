/** Exact reference operations by name (see the files beside this one); an inexact result is an error, never rounded. */
import type { HostArray } from './array.ts';

/** Operation name to its exact reference. */
export const ORACLES: Record<string, (args: HostArray[], parameters: Record<string, unknown>) => HostArray> = {};
