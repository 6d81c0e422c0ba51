import type { ParamValue } from './types.ts';

/** Values of a case's parameters, by name. */
export type Params = Readonly<Record<string, ParamValue>>;

/** Visits every string inside a value, with its path. */
export function visitStrings(
  value: unknown,
  path: readonly (string | number)[],
  visit: (text: string, path: readonly (string | number)[]) => void,
): void {
  if (typeof value === 'string') visit(value, path);
  else if (Array.isArray(value)) for (const [i, item] of value.entries()) visitStrings(item, [...path, i], visit);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      if (key.includes('${')) visit(key, [...path, key]);
      visitStrings(item, [...path, key], visit);
    }
  }
}

/** Name after `$` in a string that is a whole reference (`$x`, `$devices[1]`, `$devices[${i}]`), and what follows the name. */
export function referenceName(text: string): { name: string; rest: string } | undefined {
  const match = /^\$([A-Za-z][A-Za-z0-9_]*)((?:\[(?:[0-9]+|\$\{[A-Za-z][A-Za-z0-9_]*\})\])?)$/.exec(text);
  return match ? { name: match[1]!, rest: match[2]! } : undefined;
}

/** A string is a reference, valid or not, if it begins with `$` but not with `${` or `$${`. */
export const looksLikeReference = (text: string): boolean => /^\$(?!\$?\{)/.test(text);

const INTERPOLATION = /(\$?)\$\{([^}]*)\}/g;

/** Names used as `${name}` inside a string; `$${` stands for a literal `${`. */
export function interpolatedNames(text: string): string[] {
  return [...text.matchAll(INTERPOLATION)].filter((match) => match[1] === '').map((match) => match[2]!);
}

/** The value with parameters put in: a whole `$name` keeps the type of the parameter, `${name}` becomes text, also in keys. */
export function substitute<T>(value: T, params: Params): T {
  return substituteAny(value, params) as T;
}

function substituteAny(written: unknown, params: Params): unknown {
  const value = typeof written === 'string' && looksLikeReference(written) ? withIndex(written, params) : written;
  if (typeof value === 'string') {
    const reference = looksLikeReference(value) ? referenceName(value) : undefined;
    if (reference && Object.hasOwn(params, reference.name)) {
      const parameter = params[reference.name]!;
      return reference.rest === '' ? parameter : (parameter as readonly number[])[Number(reference.rest.slice(1, -1))];
    }
    return interpolate(value, params);
  }
  if (Array.isArray(value)) return value.map((item) => substituteAny(item, params));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [interpolate(key, params), substituteAny(item, params)]),
  );
}

/** `$list[${i}]` with the parameter put in. */
const withIndex = (text: string, params: Params): string => (text.endsWith('}]') ? interpolate(text, params) : text);

function interpolate(text: string, params: Params): string {
  return text.replace(INTERPOLATION, (whole, escaped: string, name: string) => {
    if (escaped !== '') return whole.slice(1);
    return Object.hasOwn(params, name) ? valueText(params[name]!) : whole;
  });
}

/** Text of a value in ids and inside strings: shapes as `2x3`, the empty shape as `scalar`. */
export function valueText(value: ParamValue): string {
  if (typeof value === 'object' && value !== null) return value.length === 0 ? 'scalar' : value.join('x');
  return String(value);
}

/** Whether two values have the same type and value. */
export const sameValue = (a: ParamValue, b: ParamValue): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The parameters that are part of the id of a case. */
export const namedParams = ({ unnamed }: { unnamed?: readonly string[] }, params: Params): Params =>
  Object.fromEntries(Object.entries(params).filter(([name]) => !unnamed?.includes(name)));

/** Maximum length of a case id. */
export const MAX_ID_LENGTH = 250;

/** `suite:name[k=v,…]`; no brackets if there are no parameters. */
export function caseId(suite: string, name: string, params: Params): string {
  const parts = Object.entries(params).map(([key, value]) => `${key}=${valueText(value)}`);
  return `${suite}:${name}${parts.length === 0 ? '' : `[${parts.join(',')}]`}`;
}
