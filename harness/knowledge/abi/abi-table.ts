import { dataIn } from '../../base/paths.ts';
import type {} from './table.json'; // makes the compiler copy the file beside this module
import type { AbiTable } from './table-format.ts';

/** The committed table of all known versions of the C API. */
export const ABI_TABLE = dataIn<AbiTable>('knowledge/abi/table.json');
