import type { Trace } from '../../knowledge/trace/open-trace.ts';
import { type CallProfile, callProfile, type Trait, VARIOUS } from './call-profile.ts';

/** A recording that is compared. */
export interface DiffedTrace {
  /** Paths and versions of the plugins. */
  plugins: string[];
  calls: number;
  executions: number;
}

/** What two recordings call differently; empty lists: nothing. */
export interface TraceDiff {
  first: DiffedTrace;
  second: DiffedTrace;
  /** Functions with other numbers of calls; 0: none. */
  calls: { function: string; first: number; second: number }[];
  /** What else differs: the values that each has at a place. What belongs to a function that only one of them calls is here only if it is an error. */
  traits: { trait: Trait; where: string; first: string[]; second: string[] }[];
}

/** Compares how two recordings call their plugins. @throws TraceError */
export function diffTraces(one: Trace, other: Trace): TraceDiff {
  const [first, second] = [callProfile(one), callProfile(other)];
  const functions = new Set([...first.calls.keys(), ...second.calls.keys()]);
  const calls = [...functions].sort().flatMap((name) => {
    const [a, b] = [first.calls.get(name) ?? 0, second.calls.get(name) ?? 0];
    return a === b ? [] : [{ function: name, first: a, second: b }];
  });
  return {
    first: sumOf(first),
    second: sumOf(second),
    calls,
    traits: (Object.keys(first.traits) as Trait[]).flatMap((trait) => traitDiff(trait, first, second)),
  };
}

const sumOf = ({ plugins, executions, calls }: CallProfile): DiffedTrace => ({
  plugins,
  calls: [...calls.values()].reduce((sum, count) => sum + count, 0),
  executions,
});

function traitDiff(trait: Trait, first: CallProfile, second: CallProfile): TraceDiff['traits'] {
  const [a, b] = [first.traits[trait], second.traits[trait]];
  return [...new Set([...a.keys(), ...b.keys()])].sort().flatMap((where) => {
    const [own, other] = [valuesAt(a, where), valuesAt(b, where)];
    const explained = trait !== 'error' && !(a.has(where) && b.has(where)) && onlyOneCalls(where, first, second);
    const data = own.includes(VARIOUS) && other.includes(VARIOUS);
    return explained || data || own.join('\n') === other.join('\n')
      ? []
      : [{ trait, where, first: own, second: other }];
  });
}

const valuesAt = (trait: ReadonlyMap<string, ReadonlySet<string>>, where: string): string[] =>
  [...(trait.get(where) ?? [])].sort();

/** Whether a place belongs to a function that only one of them calls, which says it already. */
function onlyOneCalls(where: string, first: CallProfile, second: CallProfile): boolean {
  const isIts = (name: string): boolean =>
    where.startsWith(name) && /^(?:_Args$|[.,]|$)/.test(where.slice(name.length));
  const calls = ({ calls: own }: CallProfile): boolean => [...own.keys()].some(isIts);
  return calls(first) !== calls(second);
}
