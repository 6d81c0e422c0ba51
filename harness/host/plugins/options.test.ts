import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TypedOption } from '../../model/plugin.ts';
import {
  coerceOption,
  formatOptionArgument,
  parseOptionArgument,
  parseOptionArguments,
  typedOption,
} from './options.ts';

const parse = (argument: string): TypedOption => parseOptionArgument(argument).option;

describe('parseOptionArgument', () => {
  it.each<[string, TypedOption]>([
    ['a=true', { kind: 'bool', value: true }],
    ['a=false', { kind: 'bool', value: false }],
    ['a=True', { kind: 'string', value: 'True' }],
    ['a=4', { kind: 'int64', value: 4n }],
    ['a=-9223372036854775808', { kind: 'int64', value: -(2n ** 63n) }],
    ['a=1,2,-3', { kind: 'int64_list', value: [1n, 2n, -3n] }],
    ['a=7,', { kind: 'int64_list', value: [7n] }],
    ['a=[]', { kind: 'int64_list', value: [] }],
    ['a=0.5', { kind: 'float', value: 0.5 }],
    ['a=1e3', { kind: 'float', value: 1000 }],
    ['a=1.0', { kind: 'float', value: 1 }],
    ['a=v5e:2x2', { kind: 'string', value: 'v5e:2x2' }],
    ['a=', { kind: 'string', value: '' }],
    ['a=x=y', { kind: 'string', value: 'x=y' }],
    ['a:string=5', { kind: 'string', value: '5' }],
    ['a:float=5', { kind: 'float', value: 5 }],
    ['a:int64_list=', { kind: 'int64_list', value: [] }],
    ['a:float=-inf', { kind: 'float', value: -Infinity }],
  ])('parses %s', (argument, option) => {
    expect(parse(argument)).toEqual(option);
  });

  it.each([
    ['a', 'expected name=value'],
    ['=5', 'the name before "=" is empty'],
    ['a=9223372036854775808', '9223372036854775808 does not fit in int64'],
    ['a:int64=1.5', 'expected an integer, got "1.5"'],
    ['a:bool=1', 'expected true or false, got "1"'],
    ['a:int=1', '"int" is not an option type; types are string, int64, int64_list, float, bool'],
    ['a:float=one', 'expected a number, got "one"'],
    ['a=1,9999999999999999999', 'does not fit in int64'],
  ])('rejects %s with its location', (argument, problem) => {
    expect(() => parse(argument)).toThrow(`--option ${argument}: `);
    expect(() => parse(argument)).toThrow(problem);
  });

  it('takes the type from the manifest if the name is known', () => {
    const known = {
      fraction: { kind: 'float' as const, description: '' },
      label: { kind: 'string' as const, description: '' },
    };
    expect(parseOptionArgument('fraction=1', known).option).toEqual({ kind: 'float', value: 1 });
    expect(parseOptionArgument('label=5', known).option).toEqual({ kind: 'string', value: '5' });
    expect(coerceOption({ kind: 'int64', value: 1n }, known.fraction)).toEqual({ kind: 'float', value: 1 });
  });

  it('rejects a repeated name', () => {
    expect(() => parseOptionArguments(['a=1', 'a=2'])).toThrow('"a" is given twice');
  });

  it('reads back every option that it writes', () => {
    const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    const option = fc.oneof(
      fc.string().map((value): TypedOption => ({ kind: 'string', value })),
      int64.map((value): TypedOption => ({ kind: 'int64', value })),
      fc.array(int64).map((value): TypedOption => ({ kind: 'int64_list', value })),
      fc.double().map((value): TypedOption => ({ kind: 'float', value })),
      fc.boolean().map((value): TypedOption => ({ kind: 'bool', value })),
    );
    fc.assert(
      fc.property(option, (written) => {
        expect(parseOptionArgument(formatOptionArgument('name', written))).toEqual({ name: 'name', option: written });
      }),
    );
  });
});

describe('typedOption', () => {
  it('rejects what no named value can hold', () => {
    expect(() => typedOption(null, 'f:1:1')).toThrow('f:1:1: expected a string, an integer');
    expect(() => typedOption([1n, 'x'], 'f:1:1')).toThrow('f:1:1[1]: expected an integer');
    expect(() => typedOption(2n ** 63n, 'f:1:1')).toThrow('does not fit in int64');
  });
});
