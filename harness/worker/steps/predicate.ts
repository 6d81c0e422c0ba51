import { elementCount, type HostArray, isHostArray, reader } from '../../knowledge/numerics/array.ts';
import type { Predicate } from '../../suite/types.ts';
import { POISON } from '../pjrt/buffer.ts';
import { type Named, namedValues, type Show, show as showPlain, typeName } from './words.ts';

const pointerOf = (value: unknown): bigint | undefined =>
  typeof value === 'object' && value !== null && 'pointer' in value ? (value.pointer as bigint) : undefined;

/** Equality of numbers of either width, handles by address, lists element by element. */
export function same(a: unknown, b: unknown): boolean {
  const pa = pointerOf(a);
  const pb = pointerOf(b);
  if (pa !== undefined || pb !== undefined) return pa === pb;
  if (typeof a === 'bigint' && typeof b === 'number') return Number.isInteger(b) && a === BigInt(b);
  if (typeof a === 'number' && typeof b === 'bigint') return same(b, a);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((x, i) => same(x, b[i]));
  if (typeof a === 'object' && typeof b === 'object' && a !== null && b !== null) {
    const ka = Object.keys(a);
    const kb = Object.keys(b);
    return ka.length === kb.length && ka.every((k) => same((a as never)[k], (b as never)[k]));
  }
  return Object.is(a, b);
}

type Resolve = (value: unknown) => unknown;

/** A value, what it is as a list, if it is one, and how it and values like it are shown. */
interface Subject {
  value: unknown;
  list: readonly unknown[] | undefined;
  show: Show;
  /** `is 3, ` and a text. */
  is(text: string): string;
}

/** What is wrong with a value, in words that follow it: `is 3, expected 4`. Undefined: nothing. */
type Check<Wanted> = (subject: Subject, wanted: Wanted, resolve: Resolve) => string | readonly string[] | undefined;

/** Each predicate, in the order in which violations are listed. */
const PREDICATES: { readonly [K in keyof Predicate]-?: Check<NonNullable<Predicate[K]>> } = {
  equals: ({ value, show, is }, wanted, resolve) => {
    const expected = resolve(wanted);
    if (same(value, expected)) return undefined;
    // Handles are shown by type only: two different ones look alike.
    return is(show(expected) === show(value) ? 'but not the one expected' : `expected ${show(expected)}`);
  },
  not: ({ value, is }, wanted, resolve) => unless(!same(value, resolve(wanted)), is, 'which it must not be'),
  nonEmpty: ({ value, is }, wanted) =>
    unless(
      (isNull(value) || (value as { length?: number }).length === 0) !== wanted,
      is,
      wanted ? 'expected a non-empty value' : 'expected an empty value',
    ),
  isNull: ({ value, is }, wanted) =>
    unless((isNull(value) || pointerOf(value) === 0n) === wanted, is, wanted ? 'expected NULL' : 'expected not NULL'),
  atLeast: ({ value, show, is }, wanted, resolve) => {
    const least = resolve(wanted);
    return unless(Number(value) >= Number(least), is, `expected at least ${show(least)}`);
  },
  atMost: ({ value, show, is }, wanted, resolve) => {
    const most = resolve(wanted);
    return unless(Number(value) <= Number(most), is, `expected at most ${show(most)}`);
  },
  oneOf: ({ value, show, is }, wanted, resolve) => {
    const allowed = (Array.isArray(wanted) ? wanted.map(resolve) : resolve(wanted)) as unknown[];
    return unless(isAmong(value, allowed), is, `expected one of ${show(allowed)}`);
  },
  contains: ({ value, list, show, is }, wanted, resolve) => {
    const element = resolve(wanted);
    const found = list ? isAmong(element, list) : String(value).includes(String(element));
    return unless(found, is, `expected it to contain ${show(element)}`);
  },
  matches: ({ value, is }, wanted) =>
    unless(new RegExp(wanted, 'u').test(textOf(value)), is, `expected it to match /${wanted}/`),
  printable: ({ value, is }, wanted) =>
    unless(!wanted || isPrintable(textOf(value)), is, 'expected a text without NULs and unprintable characters'),
  length: ({ value, show, is }, wanted, resolve) => {
    const length = resolve(wanted);
    return unless((value as { length?: number } | null)?.length === length, is, `expected length ${show(length)}`);
  },
  unique: ({ list, is }, wanted, resolve) => {
    if (wanted === false) return undefined;
    if (!list) return is('expected a list');
    const repeatable = wanted === true ? [] : wanted.except.map(resolve);
    const counted = list.filter((x) => !isAmong(x, repeatable));
    return unless(!counted.some((x, i) => isAmong(x, counted.slice(0, i))), is, 'expected no duplicate elements');
  },
  subsetOf: ofLists(
    (list, other) => list.every((x) => isAmong(x, other)),
    (other, show) => `expected every element to be among ${show(other)}`,
  ),
  disjointFrom: ofLists(
    (list, other) => !list.some((x) => isAmong(x, other)),
    (other, show) => `expected no element to be among ${show(other)}`,
  ),
  sameElements: ofLists(sameElements, (other, show) => `expected the elements of ${show(other)}, in any order`),
  each: ({ list, show, is }, wanted, resolve) => {
    if (!list) return is('expected a list');
    for (const [i, element] of list.entries()) {
      const [wrong] = violatedPredicates(element, wanted, resolve, show);
      if (wrong !== undefined) return `holds an element that ${wrong} (element ${i})`;
    }
    return undefined;
  },
  orders: ofLists(
    (list, dimensions) => sameElements(list, [...dimensions.keys()]),
    ({ length }) => `expected an order of ${length} dimension${length === 1 ? '' : 's'}`,
  ),
  written: ({ list, is }, wanted, resolve) => {
    if (!list) return is('expected a list');
    const count = Number(resolve(wanted));
    const written = list.map((x) => x !== UNWRITTEN);
    if (written.every((was, i) => was === i < count)) return undefined;
    return `has ${written.filter((was) => was).length} elements written, expected the first ${count}`;
  },
  names: ofNamedValues('names', (values) => values.map(({ name }) => name)),
  types: ofNamedValues('types', (values) => values.map(typeName)),
  numbers: ofNamedValues('numbers', (values) => values.map(({ value }) => value).filter(isNumber)),
  structSizes: ofNamedValues('struct sizes', (values) => values.map(({ structSize }) => structSize)),
  sized: ({ value, show, is }) => {
    const values = namedValues(value);
    if (!values) return is('expected named values');
    const odd = values.find((v) => v.isNull || (!isCounted(v) && v.valueSize !== 1));
    if (odd?.isNull) return `holds ${show(odd.name)}, with ${odd.valueSize} elements behind a null pointer`;
    return odd && `holds ${show(odd.name)}, a single ${typeName(odd)} with value_size ${odd.valueSize}`;
  },
};

/**
 * Checks a value against every predicate given.
 * @param resolve turns `$name` inside a predicate into its value
 * @param show how the value, and what it is compared with, is shown
 * @returns what does not hold, in words, one line a violated predicate
 */
export function violatedPredicates(
  value: unknown,
  predicate: Predicate,
  resolve: Resolve,
  show: Show = showPlain,
): string[] {
  const list = Array.isArray(value) ? (value as unknown[]) : isHostArray(value) ? elementsOf(value) : undefined;
  const subject: Subject = { value, list, show, is: (text) => `is ${show(value)}, ${text}` };
  const given = Object.entries(PREDICATES).filter(([key]) => predicate[key as keyof Predicate] !== undefined);
  const violated = given.flatMap(
    ([key, check]) => (check as Check<unknown>)(subject, predicate[key as keyof Predicate], resolve) ?? [],
  );
  // Several predicates may need a list, or named values.
  return [...new Set(violated)];
}

const unless = (holds: boolean, is: Subject['is'], text: string): string | undefined => (holds ? undefined : is(text));

/** A predicate on a list and another list. */
function ofLists(
  holds: (list: readonly unknown[], other: readonly unknown[]) => boolean,
  expected: (other: readonly unknown[], show: Show) => string,
): Check<unknown> {
  return ({ list, show, is }, wanted, resolve) => {
    const other = resolve(wanted);
    if (!list || !Array.isArray(other)) return is('expected a list');
    return unless(holds(list, other), is, expected(other, show));
  };
}

/** A predicate on a list of what named values have. */
function ofNamedValues(what: string, listOf: (values: readonly Named[]) => unknown[]): Check<Predicate> {
  return ({ value, is }, wanted, resolve) => {
    const values = namedValues(value);
    if (!values) return is('expected named values');
    return violatedPredicates(listOf(values), wanted, resolve).map((wrong) => `has other ${what}: the list ${wrong}`);
  };
}

const isNull = (value: unknown): boolean => value === null || value === undefined || value === 0n;

const isAmong = (value: unknown, list: readonly unknown[]): boolean => list.some((x) => same(value, x));

/** Bytes as text, one character a byte, so that what is written in ASCII can be matched. */
const textOf = (value: unknown): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value);

/** No NUL and no other control character; bytes that are not UTF-8 have become U+FFFD when the text was read. */
const isPrintable = (text: string): boolean => !/[\p{Cc}\uFFFD]/u.test(text.replace(/[\t\r\n]/g, ''));

const elementsOf = (array: HostArray): unknown[] => {
  const read = reader(array);
  return Array.from({ length: elementCount(array.shape) }, (_, i) => read(i));
};

const isNumber = (value: unknown): boolean => typeof value === 'number' || typeof value === 'bigint';

/** Whether the size of a value is its length. */
const isCounted = (value: Named): boolean => ['string', 'int64_list'].includes(String(typeName(value)));

/** What an int32 of room holds before a call: its poison. */
const UNWRITTEN = (POISON * 0x01010101) | 0;

function sameElements(a: readonly unknown[], b: readonly unknown[]): boolean {
  const left = [...b];
  return (
    a.every((x) => {
      const at = left.findIndex((y) => same(x, y));
      if (at >= 0) left.splice(at, 1);
      return at >= 0;
    }) && left.length === 0
  );
}
