import type { Count, Integer, Positive } from './values.ts';

/** Where the elements of an array lie that differ from the expected ones. */
export interface MismatchPlaces {
  shape: Count[];
  mismatches: Positive;
  grid: PlaceGrid;
  /** What the places or the wrong values have in common, most specific first. */
  facts: PlaceFact[];
}

/**
 * Mismatches by place in the last two dimensions, coarsely. A cell is `rowsPerCell` by `columnsPerCell` elements, of every index
 * of the other dimensions. An array of one dimension is one row.
 */
export interface PlaceGrid {
  rowsPerCell: Positive;
  columnsPerCell: Positive;
  /** A text for each row of cells, a character for each cell: `.` none differs, `0` … `9` tenths that do, `#` all do. @maxItems 32 */
  cells: CellRow[];
}

/** @pattern ^[.0-9#]{0,64}$ */
type CellRow = string;

/** Indices of a dimension: from the first to the last, by `step`. */
export interface Indices {
  first: Count;
  last: Count;
  step: Positive;
}

/**
 * everywhere: every element differs · box: the smallest box, with a step in each dimension, that has all mismatches; `null`
 * is a whole dimension, `whole`: every element in it differs · from: every element from a row-major index on ·
 * constant: all wrong elements have the same bits, which are expected nowhere near as often · shifted: the element expected at i is at i + by ·
 * transposed: the last two dimensions are in the other order · reversed: in row-major order from the end
 */
export type PlaceFact =
  | { kind: 'everywhere' }
  | { kind: 'box'; dimensions: (Indices | null)[]; whole: boolean }
  | { kind: 'from'; index: Count }
  | { kind: 'constant'; bits: string; value: string }
  | { kind: 'shifted'; by: Integer }
  | { kind: 'transposed' }
  | { kind: 'reversed' };
