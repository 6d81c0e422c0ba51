import { cleanLine } from '../base/sanitize.ts';
import { DTYPES, type DType } from '../knowledge/numerics/dtypes.ts';
import { formatBits, formatDecimal } from '../knowledge/numerics/format-value.ts';
import { parseHexBits } from '../knowledge/numerics/hex-bits.ts';
import type { MismatchNumbers } from '../model/mismatch-numbers.ts';
import type { CaseRun } from '../model/run.ts';
import type { ElementText, HtmlNumbers, NumericColumns } from './html-data.ts';
import { packedBlock } from './html-page.ts';
import { isBeyond } from './numeric-summary.ts';

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
  const empty = (): NumericColumns => ({
    case: [],
    what: [],
    maxUlp: [],
    allowedUlp: [],
    index: [],
    expectedBits: [],
    actualBits: [],
    beyond: [],
    nanMismatches: [],
    infinityMismatches: [],
    signMismatches: [],
    withinAbsolute: [],
    meets: [],
    op: [],
    dtype: [],
  });
  let pending = empty();
  const flush = (): void => {
    if (pending.case.length > 0) write(packedBlock('numerics', pending.case[0]!, JSON.stringify(pending)));
    pending = empty();
  };
  items.forEach((item, index) => {
    for (const record of item.result?.numerics ?? []) {
      pending.case.push(index);
      pending.what.push(cleanLine(record.what));
      pending.maxUlp.push(record.maxUlp);
      pending.allowedUlp.push(record.allowedUlp);
      pending.index.push(record.index);
      pending.expectedBits.push(cleanLine(record.expectedBits));
      pending.actualBits.push(cleanLine(record.actualBits));
      pending.beyond.push(isBeyond(record) ? 1 : 0);
      pending.nanMismatches.push(record.nanMismatches ?? 0);
      pending.infinityMismatches.push(record.infinityMismatches ?? 0);
      pending.signMismatches.push(record.signMismatches ?? 0);
      pending.withinAbsolute.push(record.withinAbsolute ?? 0);
      pending.meets.push(record.meets ?? null);
      pending.op.push(record.op === undefined ? null : cleanLine(record.op));
      pending.dtype.push(record.dtype === undefined ? null : cleanLine(record.dtype));
    }
    if (pending.case.length >= NUMERICS) flush();
  });
  flush();
}
