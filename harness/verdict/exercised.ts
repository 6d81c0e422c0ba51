import type { Run } from '../model/run.ts';
import { type Status, VIOLATING_STATUSES } from '../model/status.ts';
import type { Count } from '../model/values.ts';

/** How much of the contract a run has exercised, counted in requirements. @additionalProperties false */
export interface Exercised {
  /** Requirements that some case of the run tried on the plugin, whatever the result. */
  tried: Count;
  /** Requirements that the planned cases cover. */
  planned: Count;
}

const PROVES: readonly Status[] = ['pass', ...VIOLATING_STATUSES];

/** If a plugin consists of stubs, most cases are unsupported: then few requirements are exercised, however green the run is. */
export function exercised(run: Run): Exercised {
  const planned = new Set<string>();
  const tried = new Set<string>();
  for (const { plan, result } of run.cases.values()) {
    for (const id of plan.covers) planned.add(id);
    if (result && PROVES.includes(result.status)) for (const id of plan.covers) tried.add(id);
  }
  return { tried: tried.size, planned: planned.size };
}

/** `412 of 451 requirements exercised`. */
export const exercisedText = ({ tried, planned }: Exercised): string => `${tried} of ${planned} requirements exercised`;
