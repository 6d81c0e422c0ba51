import type { ElfFile } from './elf-file.ts';

/** What a library uses of a Python that it does not start. */
export interface PythonUse {
  functions: string[];
  /** The library that it is linked with for them: `libpython3.12.so.1.0`. */
  library?: string;
}

/** Whether the C API of Python has a symbol of this name. */
export const isOfPython = (symbol: string): boolean => /^_?Py(?:[A-Z]\w*)?_/.test(symbol);

const STARTS = /^Py_(?:Initialize\w*|RunMain|(?:Bytes)?Main)$/;

/** What a plugin calls of Python. @returns undefined if nothing, or if it starts a Python itself */
export function pythonUse({ symbols, needed }: ElfFile): PythonUse | undefined {
  const functions = symbols.imported
    .filter(({ name, weak }) => !weak && isOfPython(name))
    .map(({ name }) => name)
    .sort();
  if (functions.length === 0 || functions.some((name) => STARTS.test(name))) return undefined;
  return { functions, library: needed.find((name) => name.startsWith('libpython')) };
}
