import type { KnownOption, OptionKind, Options, OptionValue, TypedOption } from '../../model/plugin.ts';
import { OPTION_KINDS } from '../../model/plugin.ts';
import { type ErrorPlace, PluginError } from './plugin-error.ts';

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
const INTEGER = /^[+-]?\d+$/;
const INTEGER_LIST = /^[+-]?\d+(\s*,\s*[+-]?\d+)+,?$|^[+-]?\d+,$/;
const FLOAT = /^[+-]?(\d+\.\d*|\.\d+|\d+(?=[eE]))([eE][+-]?\d+)?$/;
const SPECIAL_FLOATS: Record<string, number> = { inf: Infinity, '+inf': Infinity, '-inf': -Infinity, nan: NaN };

const invalid = (place: ErrorPlace, what: string): PluginError => new PluginError('option-invalid', { ...place, what });

/** An argument of the command line. */
const argumentPlace = (argument: string): ErrorPlace => ({ where: `--option ${argument}`, options: ['option'] });

const int64 = (value: bigint, place: ErrorPlace): bigint => {
  if (value < INT64_MIN || value > INT64_MAX) {
    throw invalid(place, `${value} does not fit in int64 (${INT64_MIN} … ${INT64_MAX})`);
  }
  return value;
};

const parseInteger = (text: string, place: ErrorPlace): bigint => {
  if (!INTEGER.test(text)) throw invalid(place, `expected an integer, got "${text}"`);
  return int64(BigInt(text.replace(/^\+/, '')), place);
};

const parseIntegers = (text: string, place: ErrorPlace): bigint[] => {
  const inner = text.trim().replace(/^\[(.*)\]$/s, '$1');
  const parts = inner.split(',').map((part) => part.trim());
  if (parts.at(-1) === '') parts.pop();
  return parts.map((part) => parseInteger(part, place));
};

const parseFloatText = (text: string, place: ErrorPlace): number => {
  const special = SPECIAL_FLOATS[text.toLowerCase()];
  if (special !== undefined) return special;
  if (!FLOAT.test(text) && !INTEGER.test(text)) throw invalid(place, `expected a number, got "${text}"`);
  return Number(text);
};

const parseAs = (kind: OptionKind, text: string, place: ErrorPlace): TypedOption => {
  switch (kind) {
    case 'string':
      return { kind, value: text };
    case 'int64':
      return { kind, value: parseInteger(text, place) };
    case 'int64_list':
      return { kind, value: parseIntegers(text, place) };
    case 'float':
      return { kind, value: parseFloatText(text, place) };
    case 'bool':
      if (text !== 'true' && text !== 'false') throw invalid(place, `expected true or false, got "${text}"`);
      return { kind, value: text === 'true' };
  }
};

const infer = (text: string): OptionKind => {
  if (text === 'true' || text === 'false') return 'bool';
  if (INTEGER.test(text)) return 'int64';
  if (INTEGER_LIST.test(text) || /^\[[\s\d,+-]*\]$/.test(text)) return 'int64_list';
  if (FLOAT.test(text)) return 'float';
  return 'string';
};

/**
 * Parses one `--option` argument: `name=value` (the type follows from the value, or from `known` if the plugin's manifest has
 * the name) or `name:kind=value` (explicit).
 */
export const parseOptionArgument = (
  argument: string,
  known: Readonly<Record<string, KnownOption>> = {},
): { name: string; option: TypedOption } => {
  const place = argumentPlace(argument);
  const equals = argument.indexOf('=');
  if (equals < 0) throw invalid(place, 'expected name=value or name:type=value');
  const left = argument.slice(0, equals);
  const text = argument.slice(equals + 1);
  const colon = left.lastIndexOf(':');
  const name = colon < 0 ? left : left.slice(0, colon);
  if (name === '') throw invalid(place, 'the name before "=" is empty; expected name=value');
  if (colon < 0) return { name, option: parseAs(known[name]?.kind ?? infer(text), text, place) };
  const kind = OPTION_KINDS.find((candidate) => candidate === left.slice(colon + 1));
  if (kind === undefined) {
    throw invalid(place, `"${left.slice(colon + 1)}" is not an option type; types are ${OPTION_KINDS.join(', ')}`);
  }
  return { name, option: parseAs(kind, text, place) };
};

/** Parses all `--option` arguments; a repeated name is an error because one of the two would be lost. */
export const parseOptionArguments = (
  args: readonly string[],
  known: Readonly<Record<string, KnownOption>> = {},
): Options => {
  const options: Options = {};
  for (const argument of args) {
    const { name, option } = parseOptionArgument(argument, known);
    if (Object.hasOwn(options, name)) throw invalid(argumentPlace(argument), `"${name}" is given twice`);
    options[name] = option;
  }
  return options;
};

/**
 * A value of a JSON or YAML file as an option. The file must have been parsed with integers as bigint: `1` is an int64 and
 * `1.0` a float, which plain JSON.parse cannot distinguish.
 */
export const typedOption = (value: unknown, where: string): TypedOption => {
  if (typeof value === 'string') return { kind: 'string', value };
  if (typeof value === 'boolean') return { kind: 'bool', value };
  if (typeof value === 'bigint') return { kind: 'int64', value: int64(value, { where }) };
  if (typeof value === 'number') return { kind: 'float', value };
  if (Array.isArray(value)) {
    const integers = value.map((element, index) => {
      if (typeof element !== 'bigint')
        throw invalid({ where: `${where}[${index}]` }, 'expected an integer (lists hold int64 only)');
      return int64(element, { where: `${where}[${index}]` });
    });
    return { kind: 'int64_list', value: integers };
  }
  throw invalid({ where }, 'expected a string, an integer, a list of integers, a float or a boolean');
};

/** The declared type wins over the written one if nothing is lost: `1` for a float option is 1.0. */
export const coerceOption = (option: TypedOption, known: KnownOption | undefined): TypedOption =>
  known?.kind === 'float' && option.kind === 'int64' ? { kind: 'float', value: Number(option.value) } : option;

const formatFloat = (value: number): string => {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  return Object.is(value, -0) ? '-0' : String(value);
};

/** The text of an option's value, as `--option` reads it. */
const formatOptionValue = (option: TypedOption): string =>
  option.kind === 'float' ? formatFloat(option.value) : String(option.value satisfies OptionValue);

/** An option as an argument that reads back as exactly the same option. */
export const formatOptionArgument = (name: string, option: TypedOption): string =>
  `${name}:${option.kind}=${formatOptionValue(option)}`;
