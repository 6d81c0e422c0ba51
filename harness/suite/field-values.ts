import type { ValueType } from '../knowledge/abi/value-type.ts';
import { looksLikeReference } from './parameters.ts';

/** What a name stands for: what a field can hold, or an array on the host. */
export type NameType = ValueType | { readonly kind: 'array' };

type Mapping = Readonly<Record<string, unknown>>;

export const isMapping = (value: unknown): value is Mapping =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isReference = (value: unknown): value is string => typeof value === 'string' && looksLikeReference(value);

/** The type of the elements of a list, or of structs in a row. */
export const elementOf = (type: ValueType): ValueType | undefined =>
  type.kind === 'list' ? type.of : type.kind === 'object' && type.fields ? { kind: 'struct', of: type.of } : undefined;

/** The struct in a field, or to which it leads. */
export const structIn = (type: ValueType): string | undefined =>
  type.kind === 'struct' || type.kind === 'object' ? type.of : undefined;

const isNumeric = ({ kind }: NameType): boolean => ['bool', 'integer', 'enum', 'float'].includes(kind);

/** Keys of values that stand for a number. */
const SIZES = ['lengthOf', 'greatestOf', 'bytesOf', 'packedBytesOf', 'deviceOffsetOf'];
/** Keys of values that stand for an address, of what only its use shows. */
const MEMORY = ['bytes', 'damaged', 'compileOptions', 'deviceBytesOf', 'room', 'elements'];

/** Whether a literal can be written into a field. */
export function fits(type: ValueType, value: unknown): boolean {
  if (isMapping(value)) return 'raw' in value ? isRaw(type, value.raw) : isForm(type, value);
  if (value === null) return !isNumeric(type) && type.kind !== 'struct';
  switch (type.kind) {
    case 'text':
      return typeof value === 'string';
    case 'memory':
      return typeof value === 'string' || Array.isArray(value);
    case 'other':
      return true;
    // An enumerator without a name is meant to be wrong.
    case 'enum':
      return false;
    default:
      return isScalar(type, value);
  }
}

/** Whether what was read from a field can equal a literal. */
export function readable(type: ValueType, value: unknown): boolean {
  if (isMapping(value)) return type.kind === 'enum' ? fits(type, value) : !isNumeric(type) || isSize(value);
  switch (type.kind) {
    case 'text':
      return typeof value === 'string' || value === null;
    case 'enum':
      return Number.isInteger(value) && !type.names.has(value as number);
    case 'object':
    case 'list':
    case 'function':
      return value === null;
    default:
      return !isNumeric(type) || isScalar(type, value);
  }
}

function isScalar(type: ValueType, value: unknown): boolean {
  if (type.kind === 'integer') return inRange(type, value);
  return (type.kind === 'bool' && typeof value === 'boolean') || (type.kind === 'float' && typeof value === 'number');
}

/** A number, or one in quotes, as those beyond 2^53 are written. */
function inRange({ least, most }: { least: bigint; most: bigint }, value: unknown): boolean {
  const isInteger = typeof value === 'string' ? /^-?\d+$/.test(value) : Number.isInteger(value);
  return isInteger && BigInt(value as string | number) >= least && BigInt(value as string | number) <= most;
}

/** `raw` gives the bits of a field of at most eight bytes. */
const isRaw = (type: ValueType, value: unknown): boolean =>
  type.kind !== 'struct' && (isReference(value) || inRange({ least: -(2n ** 63n), most: 2n ** 64n - 1n }, value));

const isSize = (value: Mapping): boolean => SIZES.some((key) => key in value);

/** Whether a field can hold what is written as a mapping. */
function isForm(type: ValueType, value: Mapping): boolean {
  switch (type.kind) {
    case 'integer':
      return isSize(value);
    case 'enum':
      return 'dtype' in value ? type.name === 'PJRT_Buffer_Type' : isEnumerator(type.names, value.enum);
    case 'object':
      return MEMORY.some((key) => key in value) || value[FORM_OF[type.of] ?? 'struct'] !== undefined;
    case 'text':
    case 'memory':
    case 'list':
      return MEMORY.some((key) => key in value);
    case 'function':
      return 'callback' in value;
    default:
      return type.kind === 'other';
  }
}

/** Structs that are written in a way of their own. Those whose fields are known are compared field by field before. */
const FORM_OF: Readonly<Record<string, string>> = {
  PJRT_Buffer_MemoryLayout: 'layoutOf',
  PJRT_NamedValue: 'named',
};

/** With or without the prefix of the enum. */
const isEnumerator = (names: ReadonlyMap<number, string>, word: unknown): boolean =>
  typeof word === 'string' && [...names.values()].some((name) => word === name || word.endsWith(`_${name}`));

/** Whether a field can take what a name stands for. Numbers are compared when they are written. */
export function takes(type: ValueType, given: NameType): boolean {
  if (given.kind === 'array') return !isNumeric(type) && !(type.kind === 'object' && !type.fields);
  if ([type, given].some(({ kind }) => ['memory', 'function', 'struct', 'other'].includes(kind))) return true;
  if (type.kind === 'list') return given.kind === 'list' ? takes(type.of, given.of) : isCounted(given);
  if (type.kind === 'object')
    return given.kind === 'object' ? type.of === given.of : given.kind === 'list' && isCounted(type);
  return type.kind === given.kind || (isNumeric(type) && isNumeric(given));
}

const isCounted = (type: ValueType): boolean => type.kind === 'object' && type.counted;

/** What the language makes of what a field holds. */
const formOf = (type: ValueType): string =>
  type.kind === 'integer' && type.name.endsWith('intptr_t')
    ? 'address'
    : isNumeric(type) && type.kind !== 'bool'
      ? 'number'
      : type.kind;

const NUMBERS = ['number', 'address', 'other'];
const POINTERS = ['text', 'memory', 'list', 'object', 'function', 'address', 'other'];
const LISTS = ['memory', 'list', 'object', 'other'];

/** A predicate: for which forms, and what it compares with them, or with their elements; `list`: with each of a list. */
interface PredicateUse {
  readonly forms?: readonly string[];
  readonly compares?: 'value' | 'element';
  readonly list?: true;
}

const PREDICATES: Readonly<Record<string, PredicateUse>> = {
  equals: { compares: 'value' },
  not: { compares: 'value' },
  oneOf: { compares: 'value', list: true },
  atLeast: { forms: NUMBERS, compares: 'value' },
  atMost: { forms: NUMBERS, compares: 'value' },
  nonEmpty: { forms: POINTERS },
  isNull: { forms: POINTERS },
  length: { forms: POINTERS },
  matches: { forms: POINTERS },
  printable: { forms: POINTERS },
  contains: { forms: POINTERS, compares: 'element' },
  each: { forms: LISTS, compares: 'element' },
  subsetOf: { forms: LISTS, compares: 'element', list: true },
  disjointFrom: { forms: LISTS, compares: 'element', list: true },
  sameElements: { forms: LISTS, compares: 'element', list: true },
  ...Object.fromEntries(
    ['unique', 'orders', 'written', 'names', 'types', 'numbers', 'structSizes', 'sized'].map((key) => [
      key,
      { forms: LISTS },
    ]),
  ),
};

/** What a predicate compares with what a field holds: undefined if it is not for such fields. */
export function comparedBy(predicate: string, type: ValueType): { with?: ValueType; list?: true } | undefined {
  const { forms, compares, list } = PREDICATES[predicate] ?? {};
  if (forms && !forms.includes(formOf(type))) return undefined;
  const element = type.kind === 'text' ? type : elementOf(type);
  const compared = compares === 'element' ? element : compares && type;
  return { ...(compared ? { with: compared } : {}), ...(list ? { list } : {}) };
}

/** What a field holds, or a name stands for, in the words of the language. */
export function describe(type: NameType): string {
  switch (type.kind) {
    case 'bool':
      return 'true or false';
    case 'float':
      return 'a number';
    case 'integer':
      return `an integer from ${type.least} to ${type.most} (${type.name})`;
    case 'enum':
      return `{enum: …}, one of ${[...type.names.values()].join(', ')}`;
    case 'text':
      return 'a text';
    case 'object':
      return type.counted ? `a list of ${type.of}` : `a ${type.of}`;
    case 'list':
      return `a list, each ${describe(type.of)}`;
    case 'struct':
      return `{struct: ${type.of}, with: …}`;
    case 'function':
      return '{callback: ignore}';
    case 'array':
      return 'an array on the host';
    default:
      return 'a pointer';
  }
}
