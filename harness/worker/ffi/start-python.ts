import type { EmbeddedPython } from '../../model/plugin.ts';
import { functionAt } from './function.ts';
import { c } from './libc.ts';
import { LibraryError } from './library.ts';

/** RTLD_NOW | RTLD_GLOBAL: the plugin finds the symbols although it may not be linked with the library. */
const MODE = 2 | (process.platform === 'darwin' ? 8 : 0x100);

/**
 * Starts a Python in this process, as if the plugin had been loaded by one: no thread holds its lock afterwards.
 * @throws LibraryError
 */
export function startPython({ library, executable, missing, why }: EmbeddedPython): void {
  const needs = (reason: string) => new LibraryError(`it needs a Python process: ${reason}\n${why}`, 'needs-python');
  if (library === undefined) throw needs(missing ?? 'there is none');
  c.dlerror();
  const handle = c.dlopen(library, MODE);
  if (!handle) throw needs(c.dlerror() ?? `${library} cannot be loaded`);
  const call = (name: string, prototype: string, ...args: unknown[]): unknown => {
    const address = c.dlsym(handle, name);
    return address === null ? undefined : functionAt(address, prototype)(...args);
  };
  if (call('Py_IsInitialized', 'int PyGet()') !== 0) return;
  // By its own path it finds its packages, those of a virtual environment too. It keeps the text, in characters of four bytes.
  if (executable !== undefined) {
    const characters = Uint32Array.from([...executable, '\0'], (one) => one.codePointAt(0)!);
    const name = c.calloc(characters.length, 4)!;
    c.memcpy(name, new Uint8Array(characters.buffer), characters.byteLength);
    call('Py_SetProgramName', 'void PySetName(void* name)', name);
  }
  // Without handlers of signals.
  call('Py_InitializeEx', 'void PyStart(int signals)', 0);
  call('PyEval_SaveThread', 'void* PySave()');
}
