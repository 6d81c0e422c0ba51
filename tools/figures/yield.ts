/** Of each suite, what its cases cost in a run and how many faults of the catalogue they detect. */
export interface Yield {
  suite: string;
  cases: number;
  seconds: number;
  /** Faults that a case of it detects. */
  detected: number;
  /** Faults that cases of no other suite detect. */
  alone: number;
}

/**
 * @param ran each case of a run and its duration in milliseconds
 * @param failing by fault, the cases that detect it
 * @returns the suites with the most faults per second first
 */
export function yieldOf(
  ran: readonly { id: string; durationMs?: number }[],
  failing: ReadonlyMap<string, readonly string[]>,
): Yield[] {
  const bySuite = new Map<string, Yield>();
  const of = (suite: string): Yield => {
    const found = bySuite.get(suite) ?? { suite, cases: 0, seconds: 0, detected: 0, alone: 0 };
    bySuite.set(suite, found);
    return found;
  };
  for (const { id, durationMs } of ran) {
    const suite = of(suiteOf(id));
    suite.cases++;
    suite.seconds += (durationMs ?? 0) / 1000;
  }
  for (const cases of failing.values()) {
    const suites = new Set(cases.map(suiteOf));
    for (const suite of suites) of(suite).detected++;
    if (suites.size === 1) of([...suites][0]!).alone++;
  }
  return [...bySuite.values()].filter(({ cases }) => cases > 0).sort((a, b) => perSecond(b) - perSecond(a));
}

export const perSecond = ({ detected, seconds }: Yield): number => (seconds > 0 ? detected / seconds : 0);

const suiteOf = (id: string): string => id.slice(0, id.indexOf(':'));
