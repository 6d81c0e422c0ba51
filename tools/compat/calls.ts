import { MOMENTS, type Moment } from '../../harness/verdict/frameworks/prediction.ts';

/** Functions, without the `PJRT_` prefix, by the phase in which they were first called. */
type Calls = Partial<Record<Moment, string[]>>;

/** Observations of one process. */
export interface Watched {
  calls: Calls;
  /** Phase in which PJRT_Error_Destroy was first called without an error. */
  nullError?: Moment;
}

/** A plugin on which a release was traced, in two designs: with PJRT_Buffer_IsOnCpu true, and with it false. */
export interface WatchedPair {
  onCpu?: Watched;
  notOnCpu?: Watched;
}

/** Observations of one release with all plugins. */
export interface Habits {
  onCpu: Calls;
  notOnCpu: Calls;
  sometimes: string[];
  nullError?: Moment;
}

/** Reads what session.py and a tracing plugin wrote into one file. */
export function watchedIn(log: string): Watched {
  const calls: Calls = {};
  let moment: Moment = 'import';
  let nullError: Moment | undefined;
  for (const line of log.split('\n').filter((text) => text.startsWith('{'))) {
    const {
      begins,
      calls: name,
      destroysNull,
    } = JSON.parse(line) as {
      begins?: Moment;
      calls?: string;
      destroysNull?: string;
    };
    if (begins !== undefined) moment = begins;
    if (destroysNull === 'Error_Destroy') nullError ??= moment;
    if (name === undefined) continue;
    calls[moment] = [...(calls[moment] ?? []), name];
  }
  return { calls, ...(nullError === undefined ? {} : { nullError }) };
}

/** All calls of several plugins, each in the earliest phase in which any of them saw it; sorted. */
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

/** Calls of a release with plugins of both designs, and those that not every plugin of a design saw. */
export function habitsOf(pairs: readonly WatchedPair[]): Habits {
  const designs = [pairs.flatMap(({ onCpu }) => onCpu ?? []), pairs.flatMap(({ notOnCpu }) => notOnCpu ?? [])];
  const [onCpu, notOnCpu] = designs.map((watched) => merged(watched.map(({ calls }) => calls))) as [Calls, Calls];
  const partly = designs.flatMap((watched) =>
    watched.flatMap(namesOf).filter((name) => !watched.every((one) => namesOf(one).includes(name))),
  );
  const nullError = MOMENTS.find((moment) => designs.flat().some((watched) => watched.nullError === moment));
  return {
    onCpu,
    notOnCpu,
    sometimes: [...new Set(partly)].sort(),
    ...(nullError === undefined ? {} : { nullError }),
  };
}

const namesOf = ({ calls }: Watched): string[] => Object.values(calls).flat();
