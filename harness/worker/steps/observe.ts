import { elementCount, fromValues, type HostArray, isHostArray, reader } from '../../knowledge/numerics/array.ts';
import { compareArrays } from '../../knowledge/numerics/compare.ts';
import { formatBits, formatDecimal } from '../../knowledge/numerics/format-value.ts';
import { shownName } from '../../suite/in-one-step.ts';
import type { StepBody } from '../../suite/types.ts';
import type { CaseContext } from './context.ts';
import { originText } from './origin.ts';
import { CheckFailure, SuiteFault } from './outcome.ts';

/** `observe`: the first word of the table whose values an array has; any NaN is a NaN, and zeros have signs. */
export function observe(context: CaseContext, step: Extract<StepBody, { verb: 'observe' }>): void {
  const { behaviour, of = '', value, elements, is } = step;
  const whole = context.resolve(value);
  if (!isHostArray(whole)) throw new SuiteFault(`${value} is not an array of host data`);
  const outside = elements?.find((index) => index >= elementCount(whole.shape));
  if (outside !== undefined) throw otherShape(context, value, `no element ${outside}`);
  const shown = elements === undefined ? whole : chosen(whole, elements);
  const { dtype, shape } = shown;
  const count = elementCount(shape);
  const word = Object.keys(is).find((name) => {
    const values = is[name]!;
    // Only the plugin says how many elements a buffer has.
    if (values.length !== count) throw otherShape(context, value, `${count} elements, expected ${values.length}`);
    return compareArrays(fromValues(dtype, shape, values), shown, { nan: 'any', zero: 'signed' }).ok;
  });
  const bitsOf = reader(shown);
  const values = Array.from({ length: count }, (_, i) => {
    const bits = bitsOf(i);
    return `${formatDecimal(dtype, bits)} ${formatBits(dtype, bits)}`;
  });
  context.observed.push({ behaviour, of, is: word ?? 'other', values });
}

/** What a buffer holds has as many elements as the plugin says. */
function otherShape(context: CaseContext, value: string, has: string): Error {
  const origins = context.originsOf(value);
  if (origins.length === 0) return new SuiteFault(`${value} has ${has}`);
  const message = `${shownName(value)} (${originText(origins)}) has ${has}`;
  return new CheckFailure({ type: 'pjrt.BadData', message, call: 'PJRT_Buffer_Dimensions' });
}

/** Some elements of an array, by their row-major indices. */
function chosen(array: HostArray, elements: readonly number[]): HostArray {
  const item = array.dtype.hostBytes;
  const bytes = new Uint8Array(elements.length * item);
  elements.forEach((index, i) => {
    bytes.set(array.bytes.subarray(index * item, (index + 1) * item), i * item);
  });
  return { dtype: array.dtype, shape: [elements.length], bytes };
}
