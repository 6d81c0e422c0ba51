import { referenceName, visitStrings } from './parameters.ts';
import type { Step } from './types.ts';

/**
 * The name, in a case that runs others together, of what one of them binds. No step of a suite can have such a name.
 * @param place of the case among `Case.members`
 */
export const nameOfMember = (place: number, name: string): string => `Member${place}_${name}`;

/** What precedes the names of the same member; empty for names of other cases. */
export const memberPrefix = (name: string): string => /^Member\d+_/.exec(name)?.[0] ?? '';

/** The names that a step binds. */
export function namesOf(step: Step): string[] {
  const { as = [] } = step as { as?: string | string[] | object };
  return typeof as === 'object' && !Array.isArray(as) ? Object.keys(as) : [as].flat();
}

/** The names that a value refers to. */
export function referencedNames(value: unknown): string[] {
  const names: string[] = [];
  visitStrings(value, [], (text) => names.push(referenceName(text)?.name ?? ''));
  return names;
}

/** The value with these names, bound or referred to, as names of a member. */
export function renamed<T>(value: T, names: ReadonlySet<string>, place: number): T {
  const inText = (text: string): string => {
    const reference = referenceName(text);
    return reference && names.has(reference.name) ? `$${nameOfMember(place, reference.name)}${reference.rest}` : text;
  };
  const bound = (as: unknown): unknown => {
    if (typeof as === 'string') return nameOfMember(place, as);
    if (Array.isArray(as)) return as.map(bound);
    return Object.fromEntries(Object.entries(as as object).map(([name, fact]) => [nameOfMember(place, name), fact]));
  };
  const within = (one: unknown): unknown => {
    if (typeof one === 'string') return inText(one);
    if (Array.isArray(one)) return one.map(within);
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(
      Object.entries(one).map(([key, inner]) => [key, key === 'as' ? bound(inner) : within(inner)]),
    );
  };
  return within(value) as T;
}
