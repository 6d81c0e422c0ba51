import type { Indices, MismatchPlaces, PlaceFact, PlaceGrid } from '../../model/mismatch-places.ts';
import { type HostArray, reader } from './array.ts';
import type { Bits } from './codec.ts';
import { formatBits, formatDecimal } from './format-value.ts';

/** Cells of the grid, at most, in each direction; of a single row. */
const CELLS = 32;
const STRIP = 64;
/** Larger arrays are not searched for shifts and the like. */
const SEARCHED = 1 << 20;
/** Shifts that are tried, and how far from the first wrong element they are looked for. */
const SHIFTS = 64;
const REACH = 4096;
/** Fewer mismatches have nothing in common. */
const SIGNIFICANT = 3;

/** Collects where mismatches lie while arrays are compared; costs nothing where there are none. */
export class Places {
  readonly #shape: readonly number[];
  readonly #strides: number[];
  readonly #first: number[];
  readonly #last: number[];
  readonly #step: number[];
  readonly #origin: number[];
  readonly #down: number;
  readonly #across: number;
  readonly #rowsPerCell: number;
  readonly #columnsPerCell: number;
  /** Mismatches by cell. */
  readonly #cells: Uint32Array;
  #count = 0;
  #lowest = -1;

  constructor(shape: readonly number[]) {
    const rank = shape.length;
    this.#shape = shape;
    this.#strides = shape.map((_, d) => shape.slice(d + 1).reduce((a, b) => a * b, 1));
    this.#first = new Array<number>(rank).fill(Number.POSITIVE_INFINITY);
    this.#last = new Array<number>(rank).fill(-1);
    this.#step = new Array<number>(rank).fill(0);
    this.#origin = new Array<number>(rank).fill(-1);
    const [rows, columns] = [rank > 1 ? shape[rank - 2]! : 1, rank > 0 ? shape[rank - 1]! : 1];
    this.#rowsPerCell = Math.max(1, Math.ceil(rows / CELLS));
    this.#columnsPerCell = Math.max(1, Math.ceil(columns / (rows > 1 ? CELLS : STRIP)));
    this.#down = Math.ceil(rows / this.#rowsPerCell);
    this.#across = Math.ceil(columns / this.#columnsPerCell);
    this.#cells = new Uint32Array(this.#down * this.#across);
  }

  /** Adds a mismatch, in row-major order. */
  add(index: number): void {
    if (this.#count++ === 0) this.#lowest = index;
    const rank = this.#shape.length;
    let [row, column] = [0, 0];
    for (let d = 0; d < rank; d++) {
      const at = Math.floor(index / this.#strides[d]!) % this.#shape[d]!;
      if (this.#origin[d]! < 0) this.#origin[d] = at;
      if (at < this.#first[d]!) this.#first[d] = at;
      if (at > this.#last[d]!) this.#last[d] = at;
      if (this.#step[d] !== 1) this.#step[d] = divisor(this.#step[d]!, Math.abs(at - this.#origin[d]!));
      if (d === rank - 2) row = Math.floor(at / this.#rowsPerCell);
      if (d === rank - 1) column = Math.floor(at / this.#columnsPerCell);
    }
    this.#cells[row * this.#across + column]!++;
  }

  /** What was collected, and what the arrays say about it. */
  summary(expected: HostArray, actual: HostArray): MismatchPlaces {
    return {
      shape: [...this.#shape],
      mismatches: this.#count,
      grid: this.#grid(),
      facts: [...valueFacts(expected, actual, this.#count, this.#lowest), ...this.#placeFacts()],
    };
  }

  #grid(): PlaceGrid {
    const shape = this.#shape;
    const [rows, columns] = [shape.at(-2) ?? 1, shape.at(-1) ?? 1];
    const folded = shape.slice(0, -2).reduce((a, b) => a * b, 1);
    const cells = Array.from({ length: this.#down }, (_, row) => {
      const height = Math.min(this.#rowsPerCell, rows - row * this.#rowsPerCell);
      return Array.from({ length: this.#across }, (_, column) => {
        const width = Math.min(this.#columnsPerCell, columns - column * this.#columnsPerCell);
        return shareOf(this.#cells[row * this.#across + column]!, height * width * folded);
      }).join('');
    });
    return { rowsPerCell: this.#rowsPerCell, columnsPerCell: this.#columnsPerCell, cells };
  }

  #placeFacts(): PlaceFact[] {
    const total = this.#shape.reduce((a, b) => a * b, 1);
    if (this.#count === 0) return [];
    if (this.#count === total) return total > 1 ? [{ kind: 'everywhere' }] : [];
    let volume = 1;
    const dimensions = this.#shape.map((size, d): Indices | null => {
      const [first, last, step] = [this.#first[d]!, this.#last[d]!, Math.max(1, this.#step[d]!)];
      volume *= (last - first) / step + 1;
      return first === 0 && last === size - 1 && (step === 1 || size === 1) ? null : { first, last, step };
    });
    const whole = this.#count === volume;
    const facts: PlaceFact[] = [];
    if (dimensions.some((indices) => indices !== null)) facts.push({ kind: 'box', dimensions, whole });
    if (!whole && this.#count === total - this.#lowest) facts.unshift({ kind: 'from', index: this.#lowest });
    return facts;
  }
}

/** `.` none, `0` … `9` tenths, `#` all. */
const shareOf = (count: number, of: number): string =>
  count === 0 ? '.' : count === of ? '#' : String(Math.floor((10 * count) / of));

const divisor = (a: number, b: number): number => {
  while (b > 0) [a, b] = [b, a % b];
  return a;
};

/** What the wrong values have in common. */
function valueFacts(expected: HostArray, actual: HostArray, mismatches: number, lowest: number): PlaceFact[] {
  const count = expected.shape.reduce((a, b) => a * b, 1);
  if (mismatches < SIGNIFICANT || count > SEARCHED) return [];
  const [want, have] = [reader(expected), reader(actual)];
  const constant = commonValue(count, want, have);
  if (constant !== undefined) {
    const type = actual.dtype;
    return [{ kind: 'constant', bits: formatBits(type, constant), value: formatDecimal(type, constant) }];
  }
  const moved = (from: (i: number) => number): boolean => isMoved(count, want, have, from);
  const [rows, columns] = expected.shape.slice(-2) as [number, number];
  if (expected.shape.length >= 2 && rows > 1 && columns > 1) {
    const plane = rows * columns;
    const transposed = (i: number): number => {
      const at = i % plane;
      return i - at + (at % rows) * columns + Math.floor(at / rows);
    };
    if (moved(transposed)) return [{ kind: 'transposed' }];
  }
  if (moved((i) => count - 1 - i)) return [{ kind: 'reversed' }];
  for (const by of shifts(count, want, have, lowest)) {
    if (moved((i) => i - by)) return [{ kind: 'shifted', by }];
  }
  return [];
}

type Read = (index: number) => Bits;

/** The bits that all wrong elements have, where several different ones are expected. */
function commonValue(count: number, want: Read, have: Read): Bits | undefined {
  let common: Bits | undefined;
  let other = false;
  let firstWanted: Bits | undefined;
  for (let i = 0; i < count; i++) {
    const [e, a] = [want(i), have(i)];
    if (e === a) continue;
    if (common !== undefined && a !== common) return undefined;
    common = a;
    firstWanted ??= e;
    other ||= e !== firstWanted;
  }
  return other ? common : undefined;
}

/** Whether the values are the expected ones in other places, as far as these exist: most of the array. */
function isMoved(count: number, want: Read, have: Read, from: (i: number) => number): boolean {
  let seen = 0;
  for (let i = 0; i < count; i++) {
    const source = from(i);
    if (source < 0 || source >= count) continue;
    if (have(i) !== want(source)) return false;
    seen++;
  }
  return 2 * seen > count;
}

/** Distances, nearest first, at which a wrong value is expected: the first, and one in the middle, as a shift brings foreign ones in. */
function* shifts(count: number, want: Read, have: Read, lowest: number): Generator<number> {
  yield* shiftsOf(count, want, have, lowest);
  let middle = Math.floor((lowest + count) / 2);
  while (middle < count && want(middle) === have(middle)) middle++;
  if (middle < count) yield* shiftsOf(count, want, have, middle);
}

function* shiftsOf(count: number, want: Read, have: Read, at: number): Generator<number> {
  const wrong = have(at);
  let tried = 0;
  for (let distance = 1; distance < Math.min(REACH, count) && tried < SHIFTS; distance++) {
    for (const by of [distance, -distance]) {
      const source = at - by;
      if (source < 0 || source >= count || want(source) !== wrong) continue;
      tried++;
      yield by;
    }
  }
}
