/** Sums of products: dot and convolution, independent of order by construction. */
import { alloc, elementCount, type HostArray, indexOf, reader, writer } from '../array.ts';
import { type Arithmetic, arithmeticOf, type Element, OrderFreeSum } from './exact.ts';
import { linearOf, rowMajor } from './movement.ts';
import { demand, integers, type Oracle, oracle } from './parameters.ts';

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
    const out = alloc(a.dtype, shape);
    const write = writer(out);
    const count = elementCount(shape);
    const nBatch = batch[0].length;
    for (let i = 0; i < count; i++) {
      const index = indexOf(shape, i);
      const shared = index.slice(0, nBatch);
      const baseA = linearOf(pick(sa, [...batch[0], ...freeA]), [
        ...shared,
        ...index.slice(nBatch, nBatch + freeA.length),
      ]);
      const baseB = linearOf(pick(sb, [...batch[1], ...freeB]), [...shared, ...index.slice(nBatch + freeA.length)]);
      const sum = new OrderFreeSum(a.dtype);
      for (let k = 0; k < walkA.length; k++) sum.addProduct(va[baseA + walkA[k]!]!, vb[baseB + walkB[k]!]!);
      write(i, t.encode(sum.value()));
    }
    return out;
  },
);

/** Input [N, spatial…, C], kernel [spatial…, C, O], output [N, spatial…, O]; zero padding, none by default. */
const convolution = oracle('convolution', 2, ['strides', 'padding'], ([input, kernel], p) => {
  const [x, w] = [input!, kernel!];
  const spatial = x.shape.length - 2;
  demand(
    spatial >= 1 && w.shape.length === x.shape.length,
    'expected input [N, spatial…, C] and kernel [spatial…, C, O]',
  );
  demand(x.dtype.name === w.dtype.name, `${x.dtype.name} and ${w.dtype.name} differ`);
  const channels = x.shape[spatial + 1]!;
  demand(w.shape[spatial] === channels, `the input has ${channels} channels, the kernel ${w.shape[spatial]}`);
  const stride = integers(p, 'strides', new Array(spatial).fill(1));
  const padding = integers(p, 'padding', new Array(2 * spatial).fill(0));
  demand(
    stride.length === spatial && padding.length === 2 * spatial,
    '"strides" has one and "padding" two entries a spatial dimension',
  );
  const window = w.shape.slice(0, spatial);
  const sizes = window.map(
    (k, d) => Math.floor((x.shape[d + 1]! + padding[2 * d]! + padding[2 * d + 1]! - k) / stride[d]!) + 1,
  );
  const shape = [x.shape[0]!, ...sizes, w.shape[spatial + 1]!];
  const t = arithmeticOf(x.dtype);
  const [vx, vw, sx, sw] = [decoded(x, t), decoded(w, t), rowMajor(x.shape), rowMajor(w.shape)];
  const taps = Array.from({ length: elementCount(window) }, (_, k) => indexOf(window, k));
  const out = alloc(x.dtype, shape);
  const write = writer(out);
  const count = elementCount(shape);
  for (let i = 0; i < count; i++) {
    const index = indexOf(shape, i);
    const sum = new OrderFreeSum(x.dtype);
    for (const tap of taps) {
      const at = tap.map((k, d) => index[d + 1]! * stride[d]! + k - padding[2 * d]!);
      if (at.some((n, d) => n < 0 || n >= x.shape[d + 1]!)) continue;
      for (let c = 0; c < channels; c++) {
        sum.addProduct(vx[linearOf(sx, [index[0]!, ...at, c])]!, vw[linearOf(sw, [...tap, c, index[spatial + 1]!])]!);
      }
    }
    write(i, t.encode(sum.value()));
  }
  return out;
});

/** Contraction oracles; `dot` is an alias of `dot_general`. */
export const CONTRACTION: [string, Oracle][] = [dotGeneral, ['dot', dotGeneral[1]], convolution];
