import type { MismatchNumbers } from '../model/mismatch-numbers.ts';
import { DTYPES, type DType } from '../numerics/dtypes.ts';
import { formatBits, formatDecimal } from '../numerics/format-value.ts';
import { parseHexBits } from '../numerics/hex-bits.ts';
import type { ElementText, HtmlNumbers } from './html-data.ts';

const TYPES: ReadonlyMap<string, DType> = new Map(DTYPES.map((type) => [type.name, type]));

/** Numbers with their decimals. What a damaged log, or one of a newer tool, has of another form is left out. */
export function htmlNumbers({ dtype, distances, elements, inputs }: MismatchNumbers): HtmlNumbers {
  const shown = elements && elementsOf(elements, dtype);
  return {
    dtype,
    ...(distances ? { distances } : {}),
    ...(shown ? { elements: shown } : {}),
    ...(inputs
      ? {
          inputs: inputs.map(({ bits, ...array }) => {
            const texts = bits === undefined ? undefined : elementTexts(bits, array.dtype);
            return { ...array, ...(texts ? { elements: texts } : {}) };
          }),
        }
      : {}),
  };
}

function elementsOf(
  { shape, expected, actual, ulp, wrong }: NonNullable<MismatchNumbers['elements']>,
  dtype: string,
): HtmlNumbers['elements'] {
  const [should, is] = [elementTexts(expected, dtype), elementTexts(actual, dtype)];
  if (!should || !is || should.length !== is.length) return undefined;
  return { shape, expected: should, actual: is, ulp, wrong };
}

function elementTexts(bits: string, dtype: string): ElementText[] | undefined {
  const type = TYPES.get(dtype);
  if (!type) return undefined;
  return parseHexBits(bits, type)?.map((one) => [formatDecimal(type, one), formatBits(type, one)]);
}
