/** How a plugin behaves where several ways are right; never a verdict. */
export interface Observation {
  /** As in `fma-contraction`. */
  behaviour: string;
  /** Of what: an element type, or other parameters; empty for the whole plugin. */
  of: string;
  /** A word of the suite; `other`: nothing that the suite knows. */
  is: string;
  /** Value and bits of the elements that show it. */
  values: string[];
}
