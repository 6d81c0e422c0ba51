/** gather and scatter with all their dimension numbers, as StableHLO defines them. */
import { build, elementCount, type HostArray, indexOf, reader } from '../array.ts';
import { arithmeticOf } from './exact.ts';
import { linearOf, rowMajor } from './movement.ts';
import { demand, integer, integers, type Oracle, oracle, type Parameters, word } from './parameters.ts';
import { accumulator, REDUCERS } from './reduction.ts';

const without = (rank: number, ...lists: (readonly number[])[]): number[] =>
  Array.from({ length: rank }, (_, d) => d).filter((d) => !lists.some((list) => list.includes(d)));

/** Where the windows of a gather or scatter begin: the keys are those of gather. */
function startsOf(indices: HostArray, rank: number, p: Parameters): (batch: readonly number[]) => number[] {
  const map = integers(p, 'start_index_map');
  const vector = integer(p, 'index_vector_dim', indices.shape.length);
  const operandBatching = integers(p, 'operand_batching', []);
  const indicesBatching = integers(p, 'indices_batching', []);
  const vectorLength = vector === indices.shape.length ? 1 : indices.shape[vector];
  demand(vectorLength === map.length, `indices of ${vectorLength} numbers for ${map.length} dimensions`);
  demand(operandBatching.length === indicesBatching.length, 'as many batching dimensions in operand and indices');
  const t = arithmeticOf(indices.dtype);
  const read = reader(indices);
  const strides = rowMajor(indices.shape);
  return (batch) => {
    const start = new Array<number>(rank).fill(0);
    map.forEach((d, k) => {
      const at = vector === indices.shape.length ? batch : batch.toSpliced(vector, 0, k);
      start[d] = Number(t.decode(read(linearOf(strides, at))));
    });
    operandBatching.forEach((d, i) => {
      const from = indicesBatching[i]!;
      start[d] = batch[from - (from < vector ? 0 : 1)]!;
    });
    return start;
  };
}

const gather = oracle(
  'gather',
  2,
  ['offset_dims', 'collapsed', 'operand_batching', 'indices_batching', 'start_index_map', 'index_vector_dim', 'sizes'],
  ([operand, indices], p) => {
    const x = operand!;
    const sizes = integers(p, 'sizes');
    demand(sizes.length === x.shape.length, `"sizes" has ${sizes.length} entries for ${x.shape.length} dimensions`);
    const offsetDims = integers(p, 'offset_dims', []);
    const window = without(x.shape.length, integers(p, 'collapsed', []), integers(p, 'operand_batching', []));
    demand(window.length === offsetDims.length, `${offsetDims.length} offset dimensions for ${window.length}`);
    const starts = startsOf(indices!, x.shape.length, p);
    const vector = integer(p, 'index_vector_dim', indices!.shape.length);
    const batch = indices!.shape.filter((_, d) => d !== vector);
    const rank = batch.length + offsetDims.length;
    const batchDims = without(rank, offsetDims);
    const shape = new Array<number>(rank);
    batchDims.forEach((d, i) => {
      shape[d] = batch[i]!;
    });
    offsetDims.forEach((d, i) => {
      shape[d] = sizes[window[i]!]!;
    });
    const read = reader(x);
    const strides = rowMajor(x.shape);
    return build(x.dtype, shape, (i) => {
      const index = indexOf(shape, i);
      const start = starts(batchDims.map((d) => index[d]!));
      const at = start.map((n, d) => Math.max(0, Math.min(n, x.shape[d]! - sizes[d]!)));
      offsetDims.forEach((d, k) => {
        at[window[k]!]! += index[d]!;
      });
      return read(linearOf(strides, at));
    });
  },
);

/** An update that is out of bounds is skipped; those of one element must give the same in any order. */
const scatter = oracle(
  'scatter',
  3,
  ['op', 'window_dims', 'inserted', 'operand_batching', 'indices_batching', 'start_index_map', 'index_vector_dim'],
  ([operand, indices, updates], p) => {
    const x = operand!;
    const u = updates!;
    const op = word(p, 'op', [...REDUCERS, 'replace'] as const, 'add');
    const windowDims = integers(p, 'window_dims', []);
    const window = without(x.shape.length, integers(p, 'inserted', []), integers(p, 'operand_batching', []));
    demand(window.length === windowDims.length, `${windowDims.length} window dimensions for ${window.length}`);
    const batchDims = without(u.shape.length, windowDims);
    const starts = startsOf(indices!, x.shape.length, p);
    const t = arithmeticOf(x.dtype);
    const [readX, readU] = [reader(x), reader(u)];
    const strides = rowMajor(x.shape);
    const terms = Array.from({ length: elementCount(x.shape) }, (_, i) => [readX(i)]);
    const count = elementCount(u.shape);
    for (let i = 0; i < count; i++) {
      const index = indexOf(u.shape, i);
      const at = starts(batchDims.map((d) => index[d]!));
      windowDims.forEach((d, k) => {
        at[window[k]!]! += index[d]!;
      });
      if (at.every((n, d) => n >= 0 && n < x.shape[d]!)) terms[linearOf(strides, at)]!.push(readU(i));
    }
    return build(x.dtype, x.shape, (i) => {
      const list = terms[i]!;
      if (op === 'replace') {
        demand(list.length <= 2, `two updates replace element ${i}`);
        return list.at(-1)!;
      }
      const cell = accumulator(op, x.dtype);
      for (const bits of list) cell.add(t.decode(bits));
      return t.encode(cell.value());
    });
  },
);

/** operand[indices[i], …] += updates[i, …] */
const scatterAdd = oracle('scatter_add', 3, [], ([x, indices, updates]) => {
  const fits = String(updates!.shape) === String([...indices!.shape, ...x!.shape.slice(1)]);
  demand(
    indices!.shape.length === 1 && fits,
    `updates [${updates!.shape}] do not fit operand [${x!.shape}] and indices [${indices!.shape}]`,
  );
  const windowDims = x!.shape.slice(1).map((_, i) => i + 1);
  return scatter[1]([x!, indices!, updates!], { window_dims: windowDims, inserted: [0], start_index_map: [0] });
});

/** Oracles of gather and scatter. */
export const INDEXING: [string, Oracle][] = [gather, scatter, scatterAdd];
