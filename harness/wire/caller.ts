/** The consumer that the harness acts as; by default one of the plugin's own version, as far as it is known. */
export interface Caller {
  /** Minor of the C API whose struct sizes, functions and enum values are used; older or newer than the plugin's. */
  minor?: number;
  /** A consumer newer than any: argument structs are longer than the plugin knows, with unknown extension nodes attached. */
  newer?: boolean;
}
