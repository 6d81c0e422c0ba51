import { pythonWith as lookFor, type Python } from '../../../base/python.ts';
import { NotSupported } from '../../steps/outcome.ts';

/** The Python that has a library. @throws NotSupported if there is none */
export function pythonWith(library: string): Python {
  const found = lookFor(library);
  if ('missing' in found) throw new NotSupported(`needs ${found.missing}`);
  return found;
}
