import type { Run } from '../model/run.ts';
import { type Status, VIOLATING_STATUSES } from '../model/status.ts';
import type { Count } from '../model/values.ts';
import { judgedRequirements } from './violated-requirements.ts';

/** How much of the contract a run has exercised, counted in requirements. @additionalProperties false */
export interface Exercised {
  /**
   * Requirements that the run tried on the plugin, whatever the result: with every value that distinguishes rows of a matrix,
   * each element type, function or host buffer semantics for instance.
   */
  tried: Count;
  /** Requirements that it tried with some of these values, if there are any. */
  inPart?: Count;
  /** Requirements that the planned cases cover. */
  planned: Count;
}

const PROVES: readonly Status[] = ['pass', ...VIOLATING_STATUSES];

/** If a plugin consists of stubs, most cases are unsupported: then few requirements are exercised, however green the run is. */
export function exercised(run: Run): Exercised {
  const planned = new Map<string, Set<string>>();
  const tried = new Map<string, Set<string>>();
  for (const { plan, result } of run.cases.values()) {
    const judged = result && PROVES.includes(result.status) ? judgedRequirements({ plan, result }) : [];
    for (const value of valuesOf(plan.name)) {
      for (const id of plan.covers) addTo(planned, id, value);
      for (const id of plan.covers) if (judged.includes(id)) addTo(tried, id, value);
    }
  }
  const whole = [...tried].filter(([id, values]) => values.size === planned.get(id)!.size).length;
  const inPart = tried.size - whole;
  return { tried: whole, ...(inPart > 0 ? { inPart } : {}), planned: planned.size };
}

/** What distinguishes a row of a matrix: `dtype=f32` and `shape=2x3` of `round-trip[dtype=f32,shape=2x3]`. */
const valuesOf = (name: string): string[] => /\[(.*)\]$/s.exec(name)?.[1]?.split(',') ?? [''];

function addTo(map: Map<string, Set<string>>, key: string, value: string): void {
  const values = map.get(key);
  if (values) values.add(value);
  else map.set(key, new Set([value]));
}

/** `412 of 451 requirements exercised, 20 more in part`. */
export const exercisedText = ({ tried, inPart, planned }: Exercised): string =>
  `${tried} of ${planned} requirements exercised${inPart ? `, ${inPart} more in part` : ''}`;
