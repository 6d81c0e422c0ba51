import { DTYPES, type DType } from '../knowledge/numerics/dtypes.ts';
import { formatBits, formatDecimal } from '../knowledge/numerics/format-value.ts';
import { parseHexBits } from '../knowledge/numerics/hex-bits.ts';
import type { MismatchNumbers } from '../model/mismatch-numbers.ts';
import type { NumericRecord } from '../model/numeric-record.ts';
import type { CaseRun } from '../model/run.ts';
import { numericColumns } from './html-columns.ts';
import type { ElementText, HtmlNumbers } from './html-data.ts';
import { packedBlock } from './html-page.ts';

/** Comparisons per block. */
const NUMERICS = 20_000;

const TYPES: ReadonlyMap<string, DType> = new Map(DTYPES.map((type) => [type.name, type]));

/** Numbers with their decimals. What a damaged log, or one of a newer tool, has of another form is left out. */
export function htmlNumbers({ dtype, distances, elements, inputs }: MismatchNumbers): HtmlNumbers {
  const shown = elements && elementsOf(elements, dtype);
  return {
    dtype,
    distances,
    elements: shown,
    ...(inputs
      ? {
          inputs: inputs.map(({ bits, ...array }) => {
            const texts = bits === undefined ? undefined : elementTexts(bits, array.dtype);
            return { ...array, elements: texts };
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

/** The blocks with the numeric comparisons of all cases. */
export function writeNumerics(items: readonly CaseRun[], write: (chunk: string) => void): void {
  let pending: { at: number; record: NumericRecord }[] = [];
  const flush = (): void => {
    if (pending.length > 0) write(packedBlock('numerics', pending[0]!.at, JSON.stringify(numericColumns(pending))));
    pending = [];
  };
  for (const [at, { result }] of items.entries()) {
    for (const record of result?.numerics ?? []) pending.push({ at, record });
    if (pending.length >= NUMERICS) flush();
  }
  flush();
}
