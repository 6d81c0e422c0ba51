import type { Options } from '../../model/plugin.ts';
import type { Arena } from '../ffi/memory.ts';
import type { PjrtApi } from './api.ts';
import { BadDataError } from './errors.ts';
import { readInt64s, textOf } from './strings.ts';

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

/** Reads an array of PJRT_NamedValue. */
export function readNamedValues(api: PjrtApi, pointer: bigint, count: number): NamedValue[] {
  if (count === 0) return [];
  if (pointer === 0n) throw new BadDataError(`the plugin returned ${count} named values behind a NULL pointer`);
  if (count > 65536) throw new BadDataError(`the plugin returned ${count} named values`);
  const stride = BigInt(api.pluginStruct('PJRT_NamedValue').size);
  return Array.from({ length: count }, (_, i) => {
    const v = api.view('PJRT_NamedValue', pointer + BigInt(i) * stride);
    const type = v.int('type');
    const valueSize = v.size('value_size');
    const value =
      type === TYPE.string
        ? textOf(v, 'string_value')
        : type === TYPE.int64
          ? v.int64('int64_value')
          : type === TYPE.int64_list
            ? readInt64s(v.word('int64_array_value'), valueSize)
            : type === TYPE.float
              ? v.float('float_value')
              : type === TYPE.bool
                ? v.byte('bool_value') !== 0
                : undefined;
    return {
      name: textOf(v, 'name'),
      type,
      value,
      valueSize,
      structSize: v.size('struct_size'),
      ...(valueSize > 0 && isNull(v, type) ? { isNull: true as const } : {}),
    };
  });
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
    const v = array.at(i);
    const text = arena.text(name);
    v.setWord('name', text.address);
    v.setSize('name_size', text.length);
    v.setInt('type', TYPE[option.kind]);
    v.setSize('value_size', 1);
    if (option.kind === 'string') {
      const s = arena.text(option.value);
      v.setWord('string_value', s.address);
      v.setSize('value_size', s.length);
    } else if (option.kind === 'int64') v.setWord('int64_value', option.value);
    else if (option.kind === 'int64_list') {
      v.setWord('int64_array_value', arena.int64s(option.value).address);
      v.setSize('value_size', option.value.length);
    } else if (option.kind === 'float') v.setFloat('float_value', option.value);
    else v.setBool('bool_value', option.value);
  });
  return { address: array.address, count: entries.length };
}

/** Named values as plain data for facts and reports. */
export const plainValues = (values: readonly NamedValue[]): Record<string, string | number | boolean | number[]> =>
  Object.fromEntries(
    values.map((v) => [v.name, typeof v.value === 'bigint' ? Number(v.value) : (v.value ?? `type ${v.type}`)]),
  );
