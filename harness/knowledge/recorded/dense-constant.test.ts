import { describe, expect, it } from 'vitest';
import { bitsAt, elementCount, type HostArray } from '../numerics/array.ts';
import { decode } from '../numerics/codec.ts';
import { denseConstant, tensorType } from './dense-constant.ts';

/** The array of `dense<literal> : type`, read from the middle of a text. */
function read(literal: string, type: string): HostArray {
  return denseConstant(`dense<${literal}> : ${type}`, 6, 6 + literal.length, tensorType(type)!);
}

const valuesOf = (array: HostArray): unknown[] =>
  Array.from({ length: elementCount(array.shape) }, (_, i) => decode(array.dtype, bitsAt(array, i)));
const bitsOf = (array: HostArray): unknown[] =>
  Array.from({ length: elementCount(array.shape) }, (_, i) => bitsAt(array, i));

describe('types', () => {
  it.each([
    ['tensor<i1>', 'pred', []],
    ['tensor<2x3xi8>', 's8', [2, 3]],
    ['tensor<4xsi16>', 's16', [4]],
    ['tensor<0x2xui64>', 'u64', [0, 2]],
    ['tensor<5xi2>', 's2', [5]],
    ['tensor<bf16>', 'bf16', []],
    ['tensor<7xf8E4M3B11FNUZ>', 'f8e4m3b11fnuz', [7]],
    ['tensor<2xcomplex<f32>>', 'c64', [2]],
    ['tensor<2 x complex<f64>>', 'c128', [2]],
  ])('%s', (text, name, shape) => {
    expect(tensorType(text)).toMatchObject({ dtype: { name }, shape });
  });

  it.each([
    'tensor<?xf32>',
    'tensor<*xf32>',
    'tensor<2x!quant.uniform<i8:f32, 0.1:-30>>',
    'tuple<tensor<f32>>',
    '!stablehlo.token',
    'tensor<index>',
    'tensor<2xs1>',
  ])('%s is none of arrays', (text) => {
    expect(tensorType(text)).toBeUndefined();
  });
});

describe('literals', () => {
  it.each([
    ['[[1, 2], [-3, 4]]', 'tensor<2x2xi32>', [1, 2, -3, 4]],
    ['[ [1,\n 2 ],[3,4]\n]', 'tensor<2x2xui8>', [1, 2, 3, 4]],
    ['7', 'tensor<3xi64>', [7n, 7n, 7n]],
    ['-9223372036854775808', 'tensor<i64>', [-(2n ** 63n)]],
    ['18446744073709551615', 'tensor<ui64>', [2n ** 64n - 1n]],
    ['255', 'tensor<i8>', [-1]],
    ['[-2, -1, 0, 1]', 'tensor<4xi2>', [-2, -1, 0, 1]],
    ['[true, false]', 'tensor<2xi1>', [1, 0]],
    ['[1, 0, -1]', 'tensor<3xi1>', [1, 0, 1]],
    ['', 'tensor<0x3xf32>', []],
    ['[]', 'tensor<0xf32>', []],
    ['[[], []]', 'tensor<2x0xf32>', []],
    ['1.500000e+00', 'tensor<2xbf16>', [1.5, 1.5]],
    ['[0x7F800000, -0.0]', 'tensor<2xf32>', [Number.POSITIVE_INFINITY, -0]],
    ['0x3FF8000000000000', 'tensor<f64>', [1.5]],
    ['[0x07, 3.1415, 0.125]', 'tensor<3xf4E2M1FN>', [6, 3, 0]],
    ['[0.0, 0.1, 3.1415, 1.175490e-38, 0x80]', 'tensor<5xf8E8M0FNU>', [2 ** -127, 0.125, 4, 2 ** -126, 2]],
    ['(1.0, -2.0)', 'tensor<complex<f32>>', [{ re: 1, im: -2 }]],
    [
      '[(1.0,2.0), (0x7F800000,4.0)]',
      'tensor<2xcomplex<f32>>',
      [
        { re: 1, im: 2 },
        { re: Number.POSITIVE_INFINITY, im: 4 },
      ],
    ],
  ])('%s : %s', (literal, type, values) => {
    expect(valuesOf(read(literal, type))).toEqual(values);
  });

  it('rounds a decimal to a double before it rounds to the type, as MLIR does', () => {
    // Above the middle of two floats, but the nearest double is the middle.
    expect(bitsOf(read('1.00000005960464477539062500000001', 'tensor<f32>'))).toEqual([0x3f800000]);
  });
});

describe('bytes', () => {
  it.each([
    ['"0x0000803F000000C0"', 'tensor<2xf32>', [0x3f800000, 0xc0000000]],
    ['"0xFF00"', 'tensor<2xi8>', [255, 0]],
    ['"0x0100000000000000"', 'tensor<3xi64>', [1n, 1n, 1n]],
    ['"0x0100FF"', 'tensor<3xi1>', [1, 0, 1]],
    ['"0x0502"', 'tensor<10xi1>', [1, 0, 1, 0, 0, 0, 0, 0, 0, 1]],
    ['"0xF807"', 'tensor<2xi4>', [8, 7]],
    ['"0x0000803F00000040"', 'tensor<complex<f32>>', [(0x40000000n << 32n) | 0x3f800000n]],
  ])('%s : %s', (literal, type, bits) => {
    expect(bitsOf(read(literal, type))).toEqual(bits);
  });
});

describe('what is not understood is an error', () => {
  it.each([
    ['[1, 2]', 'tensor<3xi32>', /expected "," after 2 elements of shape \[3\]/],
    ['[1, 2, 3, 4]', 'tensor<3xi32>', /expected "\]" after 3 elements/],
    ['[[1, 2]]', 'tensor<2xi32>', /lists deeper than the 1 dimensions/],
    ['[1, 2]', 'tensor<2x1xi32>', /expected a list in dimension 0/],
    ['[1] 2', 'tensor<1xi32>', /text after the list/],
    ['', 'tensor<2xi32>', /empty constant for 2 elements/],
    ['256', 'tensor<i8>', /256 does not fit s8/],
    ['-129', 'tensor<i8>', /-129 does not fit s8/],
    ['1', 'tensor<f32>', /"1" is not a float/],
    ['nan', 'tensor<f32>', /"nan" is not a float/],
    ['0x1FFFF', 'tensor<f16>', /does not fit f16/],
    ['2', 'tensor<i1>', /"2" is neither true nor false/],
    ['1.5', 'tensor<i32>', /"1.5" is not an integer/],
    ['1.5', 'tensor<complex<f32>>', /not a complex number/],
    ['-1.0', 'tensor<f8E8M0FNU>', /-1 does not fit f8e8m0fnu/],
    ['"0x00"', 'tensor<2xf32>', /1 bytes for 2 elements of f32/],
    ['"0x0G"', 'tensor<i8>', /not hexadecimal/],
    ['"0x0"', 'tensor<i8>', /expected bytes/],
    ['"00"', 'tensor<i8>', /expected bytes/],
  ])('%s : %s', (literal, type, message) => {
    expect(() => read(literal, type)).toThrow(message);
  });
});
