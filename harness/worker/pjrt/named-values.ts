import type { Options, TypedOption } from '../../model/plugin.ts';
import type { Arena } from '../ffi/memory.ts';
import type { PjrtApi } from './api.ts';
import { BadDataError } from './errors.ts';
import { readInt64s, textOf } from './strings.ts';
import type { Fields, StructView } from './struct-view.ts';

/** A PJRT_NamedValue from the plugin. */
export interface NamedValue {
  name: string;
  /** PJRT_NamedValue_Type: 0 string, 1 int64, 2 int64 list, 3 float, 4 bool; anything else is a breach. */
  type: number;
  value: string | bigint | number[] | number | boolean | undefined;
  valueSize: number;
  structSize: number;
  /** A nonempty string or list at a null pointer. */
  isNull?: true;
}

const TYPE = { string: 0, int64: 1, int64_list: 2, float: 3, bool: 4 } as const;

/** The value of each type. */
const VALUES: Readonly<Record<number, (view: StructView) => NamedValue['value']>> = {
  [TYPE.string]: (view) => textOf(view, 'string_value'),
  [TYPE.int64]: (view) => view.int64('int64_value'),
  [TYPE.int64_list]: (view) => readInt64s(view.word('int64_array_value'), view.size('value_size')),
  [TYPE.float]: (view) => view.float('float_value'),
  [TYPE.bool]: (view) => view.byte('bool_value') !== 0,
};

/** Reads an array of PJRT_NamedValue, in the order of the names: the plugin's means nothing, and XLA's differs from one client to the next. */
export function readNamedValues(api: PjrtApi, pointer: bigint, count: number): NamedValue[] {
  if (count === 0) return [];
  if (pointer === 0n) throw new BadDataError(`returned ${count} named values behind a NULL pointer`);
  if (count > 65536) throw new BadDataError(`returned ${count} named values`);
  const stride = BigInt(api.pluginStruct('PJRT_NamedValue').size);
  const values = Array.from({ length: count }, (_, i): NamedValue => {
    const v = api.view('PJRT_NamedValue', pointer + BigInt(i) * stride);
    const type = v.int('type');
    const valueSize = v.size('value_size');
    return {
      name: textOf(v, 'name'),
      type,
      value: VALUES[type]?.(v),
      valueSize,
      structSize: v.size('struct_size'),
      ...(valueSize > 0 && isNull(v, type) ? { isNull: true as const } : {}),
    };
  });
  return values.sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
}

const isNull = (v: ReturnType<PjrtApi['view']>, type: number): boolean =>
  (type === TYPE.string && v.word('string_value') === 0n) ||
  (type === TYPE.int64_list && v.word('int64_array_value') === 0n);

/** Builds an array of PJRT_NamedValue; strings and lists are allocated in the arena. */
export function makeNamedValues(
  api: PjrtApi,
  arena: Arena,
  options: Readonly<Options>,
): { address: bigint; count: number } {
  const entries = Object.entries(options);
  if (entries.length === 0) return { address: 0n, count: 0 };
  const array = api.make(arena, 'PJRT_NamedValue', entries.length);
  entries.forEach(([name, option], i) => {
    const text = arena.text(name);
    const common = { name: text.address, name_size: text.length, type: TYPE[option.kind], value_size: 1 };
    array.at(i).set({ ...common, ...valueFields(arena, option) });
  });
  return { address: array.address, count: entries.length };
}

function valueFields(arena: Arena, { kind, value }: TypedOption): Fields {
  if (kind === 'string') {
    const text = arena.text(value);
    return { string_value: text.address, value_size: text.length };
  }
  if (kind !== 'int64_list') return { [`${kind}_value`]: value };
  return { int64_array_value: arena.int64s(value, 'int64_array_value').address, value_size: value.length };
}

/** Named values as plain data for facts and reports. */
export const plainValues = (values: readonly NamedValue[]): Record<string, string | number | boolean | number[]> =>
  Object.fromEntries(
    values.map((v) => [v.name, typeof v.value === 'bigint' ? Number(v.value) : (v.value ?? `type ${v.type}`)]),
  );
