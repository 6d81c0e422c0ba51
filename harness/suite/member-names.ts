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
  const own = (name: string): string => nameOfMember(place, name);
  return JSON.parse(JSON.stringify(value), (key, one) => {
    if (key === 'as' && typeof one === 'object' && !Array.isArray(one))
      return Object.fromEntries(Object.entries(one).map(([name, fact]) => [own(name), fact]));
    if (key === 'as') return Array.isArray(one) ? one.map(own) : own(one);
    const { name = '', rest } = (typeof one === 'string' && referenceName(one)) || {};
    return names.has(name) ? `$${own(name)}${rest}` : one;
  });
}
