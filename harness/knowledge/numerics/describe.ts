/** Text for a comparison: one line if it passes, a table of the worst elements if it fails. */

import { textTable } from '../../base/text-table.ts';
import { placeLines } from '../../model/place-lines.ts';
import { bitsAt, elementCount, type HostArray, indexOf, reader } from './array.ts';
import { decode } from './codec.ts';
import type { Comparison, Policy } from './compare.ts';
import { formatBits, formatDecimal } from './format-value.ts';
import { histogramText } from './histogram.ts';

const place = (array: HostArray, index: number): string => `[${indexOf(array.shape, index).join(',')}]`;

/** Smaller distances are shown to their last digit; of larger ones only the magnitude matters. */
const COUNTED = 1_000_000;

const steps = (ulp: number): string =>
  ulp === Number.POSITIVE_INFINITY ? '-' : ulp < COUNTED ? String(ulp) : ulp.toExponential(1);

/** Integers and truth values: representable steps say nothing of them. */
const isWhole = ({ kind }: HostArray['dtype']): boolean => kind === 'signed' || kind === 'unsigned';
const isTruth = ({ kind }: HostArray['dtype']): boolean => kind === 'pred';

const size = (abs: number): string => (Number.isFinite(abs) ? (abs === 0 ? '0' : abs.toExponential(1)) : '-');

const percent = (part: number, whole: number): string => String(Number(((100 * part) / whole).toPrecision(2)));

/** What the policy allowed, e.g. `4 ULP or abs 1e-6 (OpenCL C, sin)`. */
function allowance({ policy, options, expected: { dtype } }: Comparison): string {
  if (policy === 'bits') return 'the same bits';
  const isExact = !policy.ulp && !policy.atol && !policy.range && !options.bounds;
  if (isExact && (isWhole(dtype) || isTruth(dtype)))
    return `no difference${policy.source ? ` (source: ${policy.source})` : ''}`;
  const parts = [
    options.bounds?.ulp ? 'ULP bound per element' : `${policy.ulp ?? 0} ULP`,
    options.bounds?.atol ? 'abs bound per element' : absolute(policy),
  ].filter(Boolean);
  const range = policy.range ? `, range [${policy.range}]` : '';
  return `${parts.join(' or ')}${range}${policy.source ? ` (source: ${policy.source})` : ''}`;
}

/** The absolute bound, and what it is a fraction of if it is one. */
function absolute({ atol, norm }: Policy): string {
  if (!atol) return '';
  return norm === undefined ? `abs ${atol}` : `abs ${atol.toPrecision(2)}, ${norm} of the largest`;
}

const column = (rows: string[][]): string[] => textTable(rows, { indent: '  ' });

/** Mismatches without a distance, e.g. `2 with NaN, 1 with the wrong sign`; empty if there are none. */
function withoutDistance({ without }: Comparison): string {
  const { nan, infinity, sign } = without;
  return [
    nan > 0 ? `${nan} with NaN` : '',
    infinity > 0 ? `${infinity} with infinity` : '',
    sign > 0 ? `${sign} with the wrong sign` : '',
  ]
    .filter(Boolean)
    .join(', ');
}

/** By how much an integer is off, exactly. */
const difference = ({ expected, actual }: Comparison, index: number): string =>
  String(
    BigInt(decode(actual.dtype, bitsAt(actual, index)) as number | bigint) -
      BigInt(decode(expected.dtype, bitsAt(expected, index)) as number | bigint),
  );

/** The failure text or, if all elements agree, one line with the largest distance. */
export function describe(comparison: Comparison): string {
  const { expected, actual, total, countMismatch, maxUlp, maxUlpIndex, worst, options } = comparison;
  if (comparison.structure) return comparison.structure;
  const isInteger = isWhole(expected.dtype);
  // By how much a truth value is off says nothing.
  const measures = isTruth(expected.dtype) ? [] : isInteger ? ['difference'] : ['ulp', 'abs'];
  const distances =
    maxUlpIndex < 0
      ? 'no distances'
      : isInteger
        ? `the largest difference is ${difference(comparison, maxUlpIndex)} at ${place(expected, maxUlpIndex)}`
        : `max ${steps(maxUlp)} ULP at ${place(expected, maxUlpIndex)}`;
  const odd = withoutDistance(comparison);
  // Where data only moves, and of truth values, distances say nothing.
  const isFar = comparison.policy === 'bits' || isTruth(expected.dtype);
  const first = isFar && !comparison.ok ? `the first at ${place(expected, comparison.index!)}` : undefined;
  const most = first ?? (odd === '' ? distances : `${odd}; otherwise ${distances}`);
  if (comparison.ok) return `${total} elements agree; ${most}; allowed ${allowance(comparison)}`;
  const inputs = (options.inputs ?? []).filter(({ shape }) => [1, total].includes(elementCount(shape)));
  const rows = worst.map((m) => [
    place(expected, m.index),
    ...[m.expectedBits, m.actualBits].flatMap((bits) => [
      formatDecimal(expected.dtype, bits),
      formatBits(actual.dtype, bits),
    ]),
    ...measures.map((measure) =>
      measure === 'difference' ? difference(comparison, m.index) : measure === 'ulp' ? steps(m.ulp) : size(m.abs),
    ),
    m.kind,
    ...inputs.flatMap((input) => {
      const bits = reader(input)(elementCount(input.shape) === 1 ? 0 : m.index);
      return [formatDecimal(input.dtype, bits), formatBits(input.dtype, bits)];
    }),
  ]);
  const operands = inputs.flatMap(() => ['input', '']);
  const head = ['index', 'expected', '', 'actual', '', ...measures, 'kind', ...operands];
  const hidden = countMismatch - worst.length;
  return [
    `${countMismatch} of ${total} elements differ (${percent(countMismatch, total)} %); ${most}; allowed ${allowance(comparison)}`,
    ...column([head, ...rows]),
    ...(hidden > 0 ? [`  … and ${hidden} more`] : []),
    ...(comparison.places ? placeLines(comparison.places).map((line) => `  where: ${line}`) : []),
    ...measures.slice(0, 1).map((measure) => `  ${measure} histogram: ${histogramText(comparison.histogram)}`),
  ].join('\n');
}
