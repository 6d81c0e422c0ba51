/** The spaces of products: every sum is exact in every order, and for narrow factors, too. */
import { ORACLES } from '../numerics/oracles.ts';
import { COMBINED } from './combining.ts';
import { isFloat, type ORDERS, orderOf, small, values } from './contents.ts';
import { legal, type Operand, type Space, space, type TensorType } from './space.ts';
import { listText, operation } from './text.ts';

const DTYPES = ['f32', 's32', 'bf16', 'f16', 'f64', 'c64', 's8'] as const;

const PRECISIONS = ['HIGHEST', 'DEFAULT', 'HIGH', 'absent'] as const;

const precision = (one: (typeof PRECISIONS)[number]): string[] =>
  one === 'absent' ? [] : [`precision_config = [#stablehlo<precision ${one}>, #stablehlo<precision ${one}>]`];

const SIZES = [
  'usual',
  'ones',
  'large-batch',
  'large-contracting',
  'large-left',
  'large-right',
  'none-contracting',
  'no-batch',
  'no-left',
] as const;

const dotGeneral = space(
  {
    batching: [1, 0, 2],
    contracting: [1, 0, 2],
    left: [1, 0, 2],
    right: [1, 0, 2],
    lhs: ['usual', 'reversed', 'rotated', 'swapped'],
    rhs: ['usual', 'reversed', 'rotated', 'swapped'],
    sizes: SIZES,
    precision: PRECISIONS,
    dtype: DTYPES,
    contents: ['small', 'nan'],
  },
  (c) => {
    const factors = (type: TensorType, seed: number): Operand => {
      if (c.contents === 'small') return small(type, seed, 1);
      legal(isFloat(c.dtype), `${c.dtype} has no NaN`);
      return values(type, [1, 0, -1, 1, 1, 'nan', 0, 1, -1, 1, 0], seed);
    };
    const large = (what: (typeof SIZES)[number], usual: number, none?: (typeof SIZES)[number]): number =>
      c.sizes === what ? 130 : c.sizes === none ? 0 : c.sizes === 'ones' ? 1 : usual;
    const sized = (count: number, first: number, then: number): number[] => [first, then].slice(0, count);
    const batch = sized(c.batching, large('large-batch', 2, 'no-batch'), 3);
    const contract = sized(c.contracting, large('large-contracting', 5, 'none-contracting'), 2);
    const left = sized(c.left, large('large-left', 4, 'no-left'), 2);
    const right = sized(c.right, large('large-right', 3), 2);
    const touched = {
      'large-batch': batch,
      'no-batch': batch,
      'large-contracting': contract,
      'none-contracting': contract,
      'large-left': left,
      'no-left': left,
      'large-right': right,
    };
    const needed = touched[c.sizes as keyof typeof touched];
    legal(needed === undefined || needed.length > 0, 'there is no such dimension');
    const side = (free: readonly number[], order: (typeof ORDERS)[number], seed: number) => {
      const dims = [...batch, ...contract, ...free];
      const permutation = orderOf(order, dims.length);
      const at = (d: number): number => permutation.indexOf(d);
      return {
        operand: factors({ dtype: c.dtype, shape: permutation.map((d) => dims[d]!) }, seed),
        batching: batch.map((_, i) => at(i)),
        contracting: contract.map((_, i) => at(batch.length + i)),
        // In the order in which they are in the operand.
        free: permutation.filter((d) => d >= batch.length + contract.length).map((d) => dims[d]!),
      };
    };
    const [x, y] = [side(left, c.lhs, 1), side(right, c.rhs, 2)];
    const operands = [x.operand, y.operand];
    const results = [{ dtype: c.dtype, shape: [...batch, ...x.free, ...y.free] }];
    const numbers = [
      `lhs_batching_dimensions = ${listText(x.batching)}`,
      `rhs_batching_dimensions = ${listText(y.batching)}`,
      `lhs_contracting_dimensions = ${listText(x.contracting)}`,
      `rhs_contracting_dimensions = ${listText(y.contracting)}`,
    ];
    return {
      operands,
      results,
      text: (names, name) =>
        operation('dot_general', names, name, {
          types: operands,
          results,
          properties: [`dot_dimension_numbers = #stablehlo.dot<${numbers.join(', ')}>`, ...precision(c.precision)],
        }),
      expected: (arrays) => [
        ORACLES.dot_general!([...arrays], {
          lhs_batching: x.batching,
          rhs_batching: y.batching,
          lhs_contracting: x.contracting,
          rhs_contracting: y.contracting,
        }),
      ],
      compare: COMBINED,
    };
  },
  ['batching', 'contracting', 'left', 'right'],
);

const LAYOUTS = ['channels-last', 'channels-first', 'mixed', 'batch-last'] as const;

/** The letters of input, kernel and output. */
const lettersOf = (layout: (typeof LAYOUTS)[number], digits: string): [string, string, string] =>
  ({
    'channels-last': [`b${digits}f`, `${digits}io`, `b${digits}f`],
    'channels-first': [`bf${digits}`, `oi${digits}`, `bf${digits}`],
    mixed: [`f${digits}b`, `i${digits}o`, `${digits}bf`],
    'batch-last': [`${digits}fb`, `o${digits}i`, `fb${digits}`],
  })[layout] as [string, string, string];

const convolution = space(
  {
    spatial: [2, 1, 3],
    size: ['usual', 'large', 'one', 'kernel'],
    kernel: [2, 1, 3, 'mixed'],
    stride: [1, 2, 'mixed'],
    padding: ['none', 'same', 'low', 'high', 'negative', 'wide'],
    lhs_dilation: [1, 2, 'mixed'],
    rhs_dilation: [1, 2, 'mixed'],
    reversal: ['none', 'all', 'first'],
    features: [2, 1, 3],
    feature_groups: [1, 2, 3],
    batch_groups: [1, 2],
    layout: LAYOUTS,
    precision: PRECISIONS,
    dtype: ['f32', 's32', 'bf16', 'f16', 'f64'],
  },
  (c) => {
    const spatial = Array.from({ length: c.spatial }, (_, d) => d);
    const mixed = (value: number | 'mixed', d: number): number => (value === 'mixed' ? (d % 2) + 1 : value);
    const kernel = spatial.map((d) => mixed(c.kernel, d));
    const sizes = spatial.map(
      (d) => ({ usual: 4 + d, large: d === c.spatial - 1 ? 130 : 2, one: 1, kernel: kernel[d]! })[c.size],
    );
    const strides = spatial.map((d) => mixed(c.stride, d));
    const lhs = spatial.map((d) => mixed(c.lhs_dilation, d));
    const rhs = spatial.map((d) => mixed(c.rhs_dilation, d));
    const reach = kernel.map((n, d) => (n - 1) * rhs[d]!);
    const padding = spatial.map(
      (d) =>
        ({
          none: [0, 0],
          same: [Math.floor(reach[d]! / 2), Math.ceil(reach[d]! / 2)],
          low: [2, 0],
          high: [0, 3],
          negative: [-1, d === 0 ? 0 : 1],
          wide: [5, 4],
        })[c.padding] as [number, number],
    );
    legal(c.feature_groups === 1 || c.batch_groups === 1, 'only one kind of groups');
    const inputs = c.features * c.feature_groups;
    const outputs = 2 * c.feature_groups * c.batch_groups;
    const batch = c.batch_groups * 2;
    const letters = lettersOf(c.layout, '0123456789'.slice(0, c.spatial));
    const places = spatial.map((d) => {
      const room = (sizes[d]! - 1) * lhs[d]! + 1 + padding[d]![0] + padding[d]![1] - reach[d]! - 1;
      legal(room >= 0, 'the window is larger than what it moves over');
      return Math.floor(room / strides[d]!) + 1;
    });
    const shaped = (text: string, of: Record<string, number>, own: readonly number[]): number[] =>
      [...text].map((letter) => of[letter] ?? own[Number(letter)]!);
    const operands = [
      small({ dtype: c.dtype, shape: shaped(letters[0], { b: batch, f: inputs }, sizes) }, 1, 1),
      small({ dtype: c.dtype, shape: shaped(letters[1], { i: c.features, o: outputs }, kernel) }, 2, 2),
    ];
    const results = [{ dtype: c.dtype, shape: shaped(letters[2], { b: batch / c.batch_groups, f: outputs }, places) }];
    const turned = spatial.map((d) => (c.reversal === 'all' || (c.reversal === 'first' && d === 0) ? 1 : 0));
    const [input, filter, output] = letters;
    const list = (text: string): string => `[${[...text].join(', ')}]`;
    const flat = padding.flat();
    const array = (of: readonly number[]): string => `array<i64: ${of.join(', ')}>`;
    const pairs = `dense<[${padding.map(listText).join(', ')}]> : tensor<${c.spatial}x2xi64>`;
    return {
      operands,
      results,
      text: (names, name) =>
        operation('convolution', names, name, {
          types: operands,
          results,
          properties: [
            `batch_group_count = ${c.batch_groups} : i64`,
            `dimension_numbers = #stablehlo.conv<${list(input)}x${list(filter)}->${list(output)}>`,
            `feature_group_count = ${c.feature_groups} : i64`,
            `lhs_dilation = ${array(lhs)}`,
            `padding = ${pairs}`,
            ...precision(c.precision),
            `rhs_dilation = ${array(rhs)}`,
            `window_reversal = array<i1: ${turned.map((x) => x === 1).join(', ')}>`,
            `window_strides = ${array(strides)}`,
          ],
        }),
      expected: (arrays) => [
        ORACLES.convolution!([...arrays], {
          strides,
          padding: flat,
          lhs_dilation: lhs,
          rhs_dilation: rhs,
          reversal: turned,
          feature_groups: c.feature_groups,
          batch_groups: c.batch_groups,
          dims: `${input}_${filter}->${output}`,
        }),
      ],
      compare: COMBINED,
    };
  },
);

/** The spaces by operation. */
export const CONTRACTION: Readonly<Record<string, Space>> = { dot_general: dotGeneral, convolution };
