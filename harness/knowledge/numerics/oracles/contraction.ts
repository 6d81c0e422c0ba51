/** Sums of products: dot and convolution, independent of order by construction. */
import { build, elementCount, type HostArray, indexOf, reader } from '../array.ts';
import { type Arithmetic, arithmeticOf, type Element, OrderFreeSum } from './exact.ts';
import { linearOf, rowMajor } from './movement.ts';
import { demand, integer, integers, type Oracle, oracle, type Parameters } from './parameters.ts';
import { windowOf } from './window.ts';

const decoded = (array: HostArray, t: Arithmetic): Element[] => {
  const read = reader(array);
  return Array.from({ length: elementCount(array.shape) }, (_, i) => t.decode(read(i)));
};

const dotGeneral = oracle(
  'dot_general',
  2,
  ['lhs_batching', 'rhs_batching', 'lhs_contracting', 'rhs_contracting'],
  ([lhs, rhs], p) => {
    const a = lhs!;
    const b = rhs!;
    demand(a.dtype.name === b.dtype.name, `${a.dtype.name} and ${b.dtype.name} differ`);
    const batch = [integers(p, 'lhs_batching', []), integers(p, 'rhs_batching', [])] as const;
    const contract = [
      integers(p, 'lhs_contracting', [a.shape.length - 1]),
      integers(p, 'rhs_contracting', [batch[1].length]),
    ] as const;
    for (const [l, r] of [batch, contract]) {
      demand(
        l.length === r.length && l.every((d, i) => a.shape[d] === b.shape[r[i]!]),
        `dimensions [${l}] of [${a.shape}] and [${r}] of [${b.shape}] do not match`,
      );
    }
    const free = (x: HostArray, side: 0 | 1): number[] =>
      x.shape.map((_, d) => d).filter((d) => !batch[side].includes(d) && !contract[side].includes(d));
    const [freeA, freeB] = [free(a, 0), free(b, 1)];
    const sizes = (x: HostArray, dims: readonly number[]): number[] => dims.map((d) => x.shape[d]!);
    const shape = [...sizes(a, batch[0]), ...sizes(a, freeA), ...sizes(b, freeB)];
    const depth = sizes(a, contract[0]);
    const [sa, sb] = [rowMajor(a.shape), rowMajor(b.shape)];
    const pick = (strides: readonly number[], dims: readonly number[]): number[] => dims.map((d) => strides[d]!);
    const steps = Array.from({ length: elementCount(depth) }, (_, k) => indexOf(depth, k));
    const walkA = steps.map((k) => linearOf(pick(sa, contract[0]), k));
    const walkB = steps.map((k) => linearOf(pick(sb, contract[1]), k));
    const t = arithmeticOf(a.dtype);
    const [va, vb] = [decoded(a, t), decoded(b, t)];
    const nBatch = batch[0].length;
    return build(a.dtype, shape, (i) => {
      const index = indexOf(shape, i);
      const shared = index.slice(0, nBatch);
      const baseA = linearOf(pick(sa, [...batch[0], ...freeA]), [
        ...shared,
        ...index.slice(nBatch, nBatch + freeA.length),
      ]);
      const baseB = linearOf(pick(sb, [...batch[1], ...freeB]), [...shared, ...index.slice(nBatch + freeA.length)]);
      const sum = new OrderFreeSum(a.dtype);
      for (let k = 0; k < walkA.length; k++) sum.addProduct(va[baseA + walkA[k]!]!, vb[baseB + walkB[k]!]!);
      return t.encode(sum.value());
    });
  },
);

/** The letters of `dims`, split into those of input, kernel and output. */
function lettersOf(p: Parameters, spatial: number): [string, string, string] {
  const digits = '0123456789'.slice(0, spatial);
  const text = typeof p.dims === 'string' ? p.dims : `b${digits}f_${digits}io->b${digits}f`;
  const parts = text.split(/_|->/);
  const sorted = (letters: string | undefined): string => [...(letters ?? '')].sort().join('');
  demand(
    parts.length === 3 && [0, 1, 2].every((i) => sorted(parts[i]) === `${digits}${i === 1 ? 'io' : 'bf'}`),
    `"dims" is ${JSON.stringify(text)}, not like "b01f_01io->b01f"`,
  );
  return parts as [string, string, string];
}

/**
 * All of StableHLO's convolution but the choice of precision. By default input [N, spatial…, C], kernel [spatial…, C, O], output
 * [N, spatial…, O], without padding; `dims` names other orders of dimensions. Padding may be negative.
 */
const convolution = oracle(
  'convolution',
  2,
  ['strides', 'padding', 'lhs_dilation', 'rhs_dilation', 'reversal', 'feature_groups', 'batch_groups', 'dims'],
  ([input, kernel], p) => {
    const [x, w] = [input!, kernel!];
    const spatial = x.shape.length - 2;
    demand(
      spatial >= 1 && w.shape.length === x.shape.length,
      'expected as many dimensions in input and kernel, 3 or more',
    );
    demand(x.dtype.name === w.dtype.name, `${x.dtype.name} and ${w.dtype.name} differ`);
    const letters = lettersOf(p, spatial);
    const place = (list: 0 | 1 | 2, letter: string | number): number => letters[list].indexOf(String(letter));
    const sizeX = (letter: string | number): number => x.shape[place(0, letter)]!;
    const sizeW = (letter: string | number): number => w.shape[place(1, letter)]!;
    const sizes = Array.from({ length: spatial }, (_, d) => sizeX(d));
    const window = sizes.map((_, d) => sizeW(d));
    const { shape: places, taps, at: elementAt } = windowOf(p, sizes, window, ['lhs_dilation', 'rhs_dilation']);
    const reversal = integers(p, 'reversal', new Array<number>(spatial).fill(0));
    demand(reversal.length === spatial, `"reversal" has ${reversal.length} entries`);
    const featureGroups = integer(p, 'feature_groups', 1);
    const batchGroups = integer(p, 'batch_groups', 1);
    const [channels, outputs, batches] = [sizeW('i'), sizeW('o'), sizeX('b') / batchGroups];
    demand(
      sizeX('f') === channels * featureGroups,
      `the input has ${sizeX('f')} channels, ${featureGroups} groups of the kernel ${channels}`,
    );
    demand(
      Number.isInteger(batches) && outputs % featureGroups === 0 && outputs % batchGroups === 0,
      'groups divide the batch and the outputs',
    );
    const shape = [...letters[2]].map((letter) =>
      letter === 'b' ? batches : letter === 'f' ? outputs : places[Number(letter)]!,
    );
    const t = arithmeticOf(x.dtype);
    const [vx, vw, sx, sw] = [decoded(x, t), decoded(w, t), rowMajor(x.shape), rowMajor(w.shape)];
    return build(x.dtype, shape, (i) => {
      const index = indexOf(shape, i);
      const at = (letter: string | number): number => index[place(2, letter)]!;
      const output = at('f');
      const batch = at('b') + batches * Math.floor(output / (outputs / batchGroups));
      const first = channels * Math.floor(output / (outputs / featureGroups));
      const spot = sizes.map((_, d) => at(d));
      const sum = new OrderFreeSum(x.dtype);
      for (const tap of taps) {
        const from = elementAt(spot, tap);
        if (!from) continue;
        const turned = tap.map((k, d) => (reversal[d] ? window[d]! - 1 - k : k));
        for (let c = 0; c < channels; c++) {
          const pick = (list: 0 | 1, of: Record<string, number>, spot: readonly number[]): number[] =>
            [...letters[list]].map((letter) => of[letter] ?? spot[Number(letter)]!);
          sum.addProduct(
            vx[linearOf(sx, pick(0, { b: batch, f: first + c }, from))]!,
            vw[linearOf(sw, pick(1, { i: c, o: output }, turned))]!,
          );
        }
      }
      return t.encode(sum.value());
    });
  },
);

/** Contraction oracles; `dot` is an alias of `dot_general`. */
export const CONTRACTION: [string, Oracle][] = [dotGeneral, ['dot', dotGeneral[1]], convolution];
