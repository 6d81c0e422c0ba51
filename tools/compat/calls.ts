import { MOMENTS, type Moment } from '../../harness/frameworks/prediction.ts';

/** Functions, without the `PJRT_` prefix, by the moment in which they were called for the first time. */
export type Calls = Partial<Record<Moment, string[]>>;

/** Reads what session.py and a tracing plugin wrote into one file. */
export function callsOf(log: string): Calls {
  const calls: Calls = {};
  let moment: Moment = 'import';
  for (const line of log.split('\n').filter((text) => text.startsWith('{'))) {
    const { begins, calls: name } = JSON.parse(line) as { begins?: Moment; calls?: string };
    if (begins !== undefined) moment = begins;
    if (name === undefined) continue;
    calls[moment] = [...(calls[moment] ?? []), name];
  }
  return calls;
}

/** All calls of several plugins, each at the earliest moment at which one of them saw it; sorted. */
export function merged(all: readonly Calls[]): Calls {
  const result: Calls = {};
  const placed = new Set<string>();
  for (const moment of MOMENTS) {
    const names = [...new Set(all.flatMap((calls) => calls[moment] ?? []))].filter((name) => !placed.has(name)).sort();
    for (const name of names) placed.add(name);
    if (names.length > 0) result[moment] = names;
  }
  return result;
}
