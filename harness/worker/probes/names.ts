import { NAMES as ABI } from './abi/names.ts';
import { NAMES as BUFFERS } from './buffers/names.ts';
import { NAMES as CLIENT } from './client/names.ts';
import { NAMES as COEXISTENCE } from './coexistence/names.ts';
import { NAMES as COMPUTE } from './compute/names.ts';
import { NAMES as DISTRIBUTED } from './distributed/names.ts';

/** Every probe and what it checks, in one line: the vocabulary of `probe:` steps. */
export const PROBE_NAMES: Readonly<Record<string, string>> = {
  ...ABI,
  ...CLIENT,
  ...BUFFERS,
  ...COMPUTE,
  ...DISTRIBUTED,
  ...COEXISTENCE,
};
