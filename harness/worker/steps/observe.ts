import { elementCount, fromValues, type HostArray, isHostArray, reader } from '../../knowledge/numerics/array.ts';
import { compareArrays } from '../../knowledge/numerics/compare.ts';
import { formatBits, formatDecimal } from '../../knowledge/numerics/format-value.ts';
import type { StepBody } from '../../suite/types.ts';
import type { CaseContext } from './context.ts';
import { SuiteFault } from './outcome.ts';

/** `observe`: the first word of the table whose values an array has; any NaN is a NaN, and zeros have signs. */
export function observe(context: CaseContext, step: Extract<StepBody, { verb: 'observe' }>): void {
  const { behaviour, of = '', value, elements, is } = step;
  const whole = context.resolve(value);
  if (!isHostArray(whole)) throw new SuiteFault(`${value} is not an array of host data`);
  const shown = elements === undefined ? whole : chosen(whole, elements);
  const { dtype, shape } = shown;
  const word = Object.keys(is).find((name) => {
    const values = is[name]!;
    if (values.length !== elementCount(shape))
      throw new SuiteFault(`${name} has ${values.length} values for ${elementCount(shape)} elements`);
    return compareArrays(fromValues(dtype, shape, values), shown, { nan: 'any', zero: 'signed' }).ok;
  });
  const bitsOf = reader(shown);
  const values = Array.from({ length: elementCount(shape) }, (_, i) => {
    const bits = bitsOf(i);
    return `${formatDecimal(dtype, bits)} ${formatBits(dtype, bits)}`;
  });
  context.observed.push({ behaviour, of, is: word ?? 'other', values });
}

/** Some elements of an array, by their row-major indices. */
function chosen(array: HostArray, elements: readonly number[]): HostArray {
  const item = array.dtype.hostBytes;
  const bytes = new Uint8Array(elements.length * item);
  elements.forEach((index, i) => {
    if (index >= elementCount(array.shape)) throw new SuiteFault(`the array has no element ${index}`);
    bytes.set(array.bytes.subarray(index * item, (index + 1) * item), i * item);
  });
  return { dtype: array.dtype, shape: [elements.length], bytes };
}
