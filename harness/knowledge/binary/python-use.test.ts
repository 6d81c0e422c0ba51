import { expect, test } from 'vitest';
import type { ElfFile } from './elf-file.ts';
import { isOfPython, pythonUse } from './python-use.ts';

const file = (imported: readonly string[], needed: string[] = []): ElfFile =>
  ({
    needed,
    symbols: {
      exported: [],
      imported: imported.map((name, index) => ({ name, index, weak: name === 'PyWeak_Function' })),
    },
  }) as unknown as ElfFile;

test.each(['PyGILState_Ensure', 'Py_IsInitialized', '_Py_Dealloc', 'PyExc_RuntimeError', '_PyObject_New'])(
  '%s is a symbol of Python',
  (name) => expect(isOfPython(name)).toBe(true),
);

test.each(['_ZN2py4castEv', 'PyramidLevels', 'copy_Py_Object', 'pthread_create'])('%s is none', (name) =>
  expect(isOfPython(name)).toBe(false),
);

test('a library uses a Python that it does not start', () => {
  expect(pythonUse(file(['malloc', 'PyList_New', 'PyGILState_Ensure'], ['libc.so.6', 'libpython3.12.so.1.0']))).toEqual(
    {
      functions: ['PyGILState_Ensure', 'PyList_New'],
      library: 'libpython3.12.so.1.0',
    },
  );
  expect(pythonUse(file(['malloc', 'PyWeak_Function']))).toBeUndefined();
});

test.each(['Py_Initialize', 'Py_InitializeEx', 'Py_InitializeFromConfig', 'Py_BytesMain'])(
  'one that calls %s starts its own',
  (start) => expect(pythonUse(file(['PyList_New', start]))).toBeUndefined(),
);
