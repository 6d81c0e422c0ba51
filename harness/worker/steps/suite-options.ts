import type { Options, TypedOption } from '../../model/plugin.ts';

/** Options of a suite, typed by what they look like: integers are int64, decimals float, lists int64 lists. */
export function suiteOptions(options: Readonly<Record<string, unknown>>): Options {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]): [string, TypedOption] => {
      if (typeof value === 'boolean') return [name, { kind: 'bool', value }];
      if (typeof value === 'string') return [name, { kind: 'string', value }];
      if (Array.isArray(value)) return [name, { kind: 'int64_list', value: value.map((v) => BigInt(v as number)) }];
      if (typeof value === 'object' && value !== null && 'float' in value)
        return [name, { kind: 'float', value: Number(value.float) }];
      if (Number.isInteger(value)) return [name, { kind: 'int64', value: BigInt(value as number) }];
      return [name, { kind: 'float', value: Number(value) }];
    }),
  );
}
