import { elementCount, type HostArray, isHostArray, reader } from '../../knowledge/numerics/array.ts';
import type { Predicate } from '../../suite/types.ts';
import { POISON } from '../pjrt/buffer.ts';
import type { NamedValue } from '../pjrt/named-values.ts';

/** Renders a value for a failure message: short, with handles by type only, because addresses change from run to run. */
export function show(value: unknown): string {
  if (value === null || value === undefined || value === 0n) return 'NULL';
  // Integers arrive as numbers as long as they fit, so a small bigint is an address, which changes from run to run.
  if (typeof value === 'bigint')
    return value <= Number.MAX_SAFE_INTEGER && value > 0n ? 'an address' : value.toString();
  if (typeof value === 'string') return JSON.stringify(value.length > 200 ? `${value.slice(0, 200)}…` : value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) {
    return `[${value.slice(0, 16).map(show).join(', ')}${value.length > 16 ? `, … ${value.length} in all` : ''}]`;
  }
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (typeof value === 'object' && 'kind' in value && 'pointer' in value) return `a ${String(value.kind)}`;
  if (typeof value === 'object' && 'dtype' in value && 'shape' in value) {
    return `${(value.dtype as { name: string }).name}[${(value.shape as number[]).join(',')}]`;
  }
  return JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? v.toString() : v));
}

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

/**
 * Checks a value against every predicate given.
 * @param resolve turns `$name` inside a predicate into its value
 * @returns what does not hold, in words, one line a violated predicate
 */
export function violatedPredicates(value: unknown, predicate: Predicate, resolve: (v: unknown) => unknown): string[] {
  const violated: string[] = [];
  const miss = (text: string) => violated.push(`is ${show(value)}, ${text}`);
  const list = Array.isArray(value) ? (value as unknown[]) : isHostArray(value) ? elementsOf(value) : undefined;
  const p = predicate;
  if (p.equals !== undefined && !same(value, resolve(p.equals))) {
    const wanted = show(resolve(p.equals));
    // Handles are shown by type only: two different ones look alike.
    miss(wanted === show(value) ? `but not the one expected` : `expected ${wanted}`);
  }
  if (p.not !== undefined && same(value, resolve(p.not))) miss(`which it must not be`);
  if (p.nonEmpty !== undefined) {
    const empty = value === null || value === undefined || value === 0n || (value as { length?: number }).length === 0;
    if (empty === p.nonEmpty) miss(p.nonEmpty ? 'expected a non-empty value' : 'expected an empty value');
  }
  if (p.isNull !== undefined) {
    const isNull = value === null || value === undefined || value === 0n || pointerOf(value) === 0n;
    if (isNull !== p.isNull) miss(p.isNull ? 'expected NULL' : 'expected not NULL');
  }
  const least = resolve(p.atLeast);
  if (least !== undefined && !(Number(value) >= Number(least))) miss(`expected at least ${show(least)}`);
  const most = resolve(p.atMost);
  if (most !== undefined && !(Number(value) <= Number(most))) miss(`expected at most ${show(most)}`);
  if (p.oneOf !== undefined) {
    const allowed = (Array.isArray(p.oneOf) ? p.oneOf.map(resolve) : resolve(p.oneOf)) as unknown[];
    if (!allowed.some((x) => same(value, x))) miss(`expected one of ${show(allowed)}`);
  }
  if (p.contains !== undefined) {
    const wanted = resolve(p.contains);
    const found = list ? list.some((x) => same(x, wanted)) : String(value).includes(String(wanted));
    if (!found) miss(`expected it to contain ${show(wanted)}`);
  }
  if (p.matches !== undefined && !new RegExp(p.matches, 'u').test(textOf(value)))
    miss(`expected it to match /${p.matches}/`);
  if (p.printable && !isPrintable(textOf(value))) miss('expected a text without NULs and unprintable characters');
  const length = resolve(p.length);
  if (length !== undefined && (value as { length?: number } | null)?.length !== length)
    miss(`expected length ${show(length)}`);
  if (p.unique !== undefined && p.unique !== false) {
    const repeatable = p.unique === true ? [] : p.unique.except.map(resolve);
    const counted = list?.filter((x) => !repeatable.some((y) => same(x, y)));
    if (!counted) miss('expected a list');
    else if (counted.some((x, i) => counted.slice(0, i).some((y) => same(x, y))))
      miss('expected no duplicate elements');
  }
  if (p.subsetOf !== undefined) {
    const other = resolve(p.subsetOf);
    if (!list || !Array.isArray(other)) miss('expected a list');
    else if (!list.every((x) => other.some((y) => same(x, y))))
      miss(`expected every element to be among ${show(other)}`);
  }
  if (p.disjointFrom !== undefined) {
    const other = resolve(p.disjointFrom);
    if (!list || !Array.isArray(other)) miss('expected a list');
    else if (list.some((x) => other.some((y) => same(x, y)))) miss(`expected no element to be among ${show(other)}`);
  }
  if (p.sameElements !== undefined) {
    const other = resolve(p.sameElements);
    if (!list || !Array.isArray(other)) miss('expected a list');
    else if (!sameElements(list, other)) miss(`expected the elements of ${show(other)}, in any order`);
  }
  if (p.each !== undefined) {
    if (!list) miss('expected a list');
    for (const [i, element] of (list ?? []).entries()) {
      const wrong = violatedPredicates(element, p.each, resolve)[0];
      if (wrong === undefined) continue;
      violated.push(`holds an element that ${wrong} (element ${i})`);
      break;
    }
  }
  if (p.orders !== undefined) {
    const dimensions = resolve(p.orders);
    if (!list || !Array.isArray(dimensions)) miss('expected a list');
    else if (!sameElements(list, [...dimensions.keys()]))
      miss(`expected an order of ${dimensions.length} dimension${dimensions.length === 1 ? '' : 's'}`);
  }
  if (p.written !== undefined) {
    const wanted = Number(resolve(p.written));
    const written = list?.map((x) => x !== UNWRITTEN);
    if (!written) miss('expected a list');
    else if (written.some((was, i) => was !== i < wanted))
      violated.push(`has ${written.filter((was) => was).length} elements written, expected the first ${wanted}`);
  }
  if ([p.names, p.types, p.numbers, p.structSizes, p.sized].some((wanted) => wanted !== undefined)) {
    const values = namedValues(value);
    if (!values) miss('expected named values');
    const about = (what: string, of: unknown[] | undefined, wanted: Predicate | undefined): void => {
      if (!of || !wanted) return;
      for (const wrong of violatedPredicates(of, wanted, resolve)) violated.push(`has ${what}: the list ${wrong}`);
    };
    about(
      'other names',
      values?.map((v) => v.name),
      p.names,
    );
    about('other types', values?.map(typeName), p.types);
    about('other numbers', values?.map((v) => v.value).filter(isNumber), p.numbers);
    about(
      'other struct sizes',
      values?.map((v) => v.structSize),
      p.structSizes,
    );
    const odd = p.sized ? values?.find((v) => v.isNull || (!isCounted(v) && v.valueSize !== 1)) : undefined;
    if (odd?.isNull) violated.push(`holds ${show(odd.name)}, with ${odd.valueSize} elements behind a null pointer`);
    else if (odd) violated.push(`holds ${show(odd.name)}, a single ${typeName(odd)} with value_size ${odd.valueSize}`);
  }
  return violated;
}

/** Bytes as text, one character a byte, so that what is written in ASCII can be matched. */
const textOf = (value: unknown): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value);

/** No NUL and no other control character; bytes that are not UTF-8 have become U+FFFD when the text was read. */
const isPrintable = (text: string): boolean => !/[\p{Cc}\uFFFD]/u.test(text.replace(/[\t\r\n]/g, ''));

const elementsOf = (array: HostArray): unknown[] => {
  const read = reader(array);
  return Array.from({ length: elementCount(array.shape) }, (_, i) => read(i));
};

/** PJRT_NamedValue_Type in words, by its number. */
const NAMED_VALUE_TYPES = ['string', 'int64', 'int64_list', 'float', 'bool'];

type Named = Pick<NamedValue, 'name' | 'type' | 'value' | 'valueSize' | 'structSize' | 'isNull'>;

const isNumber = (value: unknown): boolean => typeof value === 'number' || typeof value === 'bigint';

const namedValues = (value: unknown): Named[] | undefined =>
  Array.isArray(value) && value.every((v) => typeof v === 'object' && v !== null && 'name' in v && 'type' in v)
    ? (value as Named[])
    : undefined;

const typeName = ({ type }: Named): string | number => NAMED_VALUE_TYPES[type] ?? type;

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
