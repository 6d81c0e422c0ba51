import { elementCount, reader } from '../../numerics/array.ts';
import { isHostArray } from '../../steps/context.ts';
import { CheckFailure, SuiteFault } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';

/** No two elements of an array are the same, as of random words of 32 bits and more: a generator that got stuck repeats. */
export const distinctElements: Probe = (context, options) => {
  const array = context.resolve(String(options.of));
  if (!isHostArray(array)) throw new SuiteFault(`${String(options.of)} is not an array of host data`);
  const read = reader(array);
  const count = elementCount(array.shape);
  const seen = new Set(Array.from({ length: count }, (_, i) => read(i)));
  if (seen.size === count) return;
  throw new CheckFailure({
    type: 'pjrt.NumericMismatch',
    message: `of ${count} random words only ${seen.size} are different`,
  });
};
