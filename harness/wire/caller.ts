/** As which caller the harness talks to a plugin; absent fields mean the plugin's own version, as far as it is known. */
export interface Caller {
  /** Minor of the C API whose struct sizes, functions and enum values are used; older or newer than the plugin's. */
  minor?: number;
  /** A caller newer than any: argument structs are longer than the plugin knows, with unknown extension nodes attached. */
  newer?: boolean;
}
