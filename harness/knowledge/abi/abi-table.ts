import { createRequire } from 'node:module';
import { dataPath } from '../../base/paths.ts';
import type {} from './table.json'; // makes the compiler copy the file beside this module
import type { AbiTable } from './table-format.ts';

// require and not an import: JSON modules still print a warning on Node 20.
/** The committed table of all known versions of the C API. */
export const ABI_TABLE = createRequire(import.meta.url)(dataPath('knowledge/abi/table.json')) as AbiTable;
