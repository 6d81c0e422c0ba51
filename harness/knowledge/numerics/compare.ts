/** Decides whether two arrays agree, and by how much they differ. The rules are in docs/numerics.md. */

import type { MismatchPlaces } from '../../model/mismatch-places.ts';
import { type HostArray, reader } from './array.ts';
import { closeArrays } from './close-arrays.ts';
import type { Bits } from './codec.ts';
import type { Compare } from './data.ts';
import { bump, emptyHistogram, type Histogram } from './histogram.ts';
import { type Anatomy, anatomyOf, lanesOf, laneValue } from './lanes.ts';
import { sumError } from './oracles/exact.ts';
import { Places } from './places.ts';

/** All options of a comparison; `Compare` of the suite language is the part that suites may set. */
export type Policy = Exclude<Compare, 'bits'> & {
  /** `within-ulp`: an infinity passes for a finite value if it is within reach, counted as the step after the largest. */
  overflow?: 'exact' | 'within-ulp';
  /** Values must be in this closed interval whatever the tolerance. */
  range?: readonly [number, number];
};

/** Facts about the run besides the two arrays. */
export interface CompareOptions {
  /** Byte that the output memory was filled with before execution. */
  poison?: number;
  /** The operands by element: printed with failures; subnormal ones allow the values of `flushed`. */
  inputs?: readonly HostArray[];
  /** Also correct if an operand is subnormal: f(±0), f(±min_normal). Used unless subnormals are preserved. */
  flushed?: readonly HostArray[];
  /** Bounds by element instead of the policy's. */
  bounds?: { ulp?: ArrayLike<number>; atol?: ArrayLike<number> };
}

/** Why an element does not agree. */
export type MismatchKind =
  | 'value'
  | 'unexpected-nan'
  | 'missing-nan'
  | 'nan-bits'
  | 'inf'
  | 'sign'
  | 'sign-of-zero'
  | 'flushed'
  | 'unwritten'
  | 'range';

/** One element that does not agree. */
interface Mismatch {
  /** Linear row-major index of the element. */
  index: number;
  kind: MismatchKind;
  expectedBits: Bits;
  actualBits: Bits;
  /** Distance in representable steps; infinite with a NaN, different signs or (without `overflow`) an infinity. */
  ulp: number;
  abs: number;
}

/** Numbers of mismatches without a distance. */
interface Undistanced {
  nan: number;
  infinity: number;
  sign: number;
}

const UNDISTANCED: Partial<Record<MismatchKind, keyof Undistanced>> = {
  'unexpected-nan': 'nan',
  'missing-nan': 'nan',
  'nan-bits': 'nan',
  inf: 'infinity',
  sign: 'sign',
  'sign-of-zero': 'sign',
};

/** The result; the fields of the first mismatch are repeated at the top. */
export interface Comparison {
  ok: boolean;
  /** Shape, type or length differ, so nothing was compared. */
  structure?: string;
  kind?: MismatchKind;
  index?: number;
  expectedBits?: Bits;
  actualBits?: Bits;
  ulp?: number;
  abs?: number;
  countMismatch: number;
  /** Mismatches without a distance, because of a NaN, an infinity or different signs. */
  without: Undistanced;
  /** Elements that pass only by the absolute bound; their distance counts nowhere. */
  countAbsolute: number;
  total: number;
  /** Largest finite distance, including elements that pass; index -1 if there is none. */
  maxUlp: number;
  maxUlpIndex: number;
  histogram: Histogram;
  /** The worst mismatches, at most ten, worst first; where bits are compared, the first ones. */
  worst: Mismatch[];
  /** Where the mismatches lie, if there are any. */
  places?: MismatchPlaces;
  expected: HostArray;
  actual: HostArray;
  policy: Policy | 'bits';
  options: CompareOptions;
}

const SHOWN = 10;
const BITWISE: Required<Pick<Policy, 'ulp' | 'nan' | 'zero' | 'subnormal'>> = {
  ulp: 0,
  nan: 'bits',
  zero: 'signed',
  subnormal: 'preserve',
};
const LENIENT: typeof BITWISE = { ulp: 0, nan: 'any', zero: 'unsigned', subnormal: 'preserve' };

/** Result for one lane: undefined if it passes. `ulp` and `abs` describe the distance either way. */
interface Judgement {
  kind: MismatchKind | undefined;
  ulp: number;
  abs: number;
}

type Judge = (e: number, eh: number, a: number, ah: number, ulp: number, atol: number) => Judgement;

const PASS: Judgement = { kind: undefined, ulp: 0, abs: 0 };

function structureOf(expected: HostArray, actual: HostArray): string | undefined {
  if (expected.dtype.name !== actual.dtype.name)
    return `expected dtype ${expected.dtype.name}, got ${actual.dtype.name}`;
  if (String(expected.shape) !== String(actual.shape))
    return `expected shape [${expected.shape}], got [${actual.shape}]`;
  if (expected.bytes.length !== actual.bytes.length)
    return `expected ${expected.bytes.length} bytes, got ${actual.bytes.length}`;
  return undefined;
}

/** |e − a| ≤ bound without rounding the difference: the rounding error of the subtraction decides ties. */
function within(e: number, a: number, bound: number): boolean {
  const d = e - a;
  const size = Math.abs(d);
  if (size !== bound) return size < bound;
  return sumError(e, -a, d) * Math.sign(d) <= 0;
}

/** Integers and pred are compared by their bits, whatever the policy. */
function integerJudge(signed: boolean, bits: number): Judge {
  const half = 2 ** (Math.min(bits, 32) - 1);
  const top = (high: number): number => (signed ? high | 0 : high);
  const value = (low: number): number => (signed && low >= half ? low - 2 * half : low);
  return (e, eh, a, ah) => {
    if (e === a && eh === ah) return PASS;
    // Of 64 bits, only the sum is rounded, beyond 2^53.
    const difference = bits === 64 ? (top(eh) - top(ah)) * 2 ** 32 + (e - a) : value(e) - value(a);
    const distance = Math.abs(difference);
    return { kind: 'value', ulp: distance, abs: distance };
  };
}

function floatJudge(
  x: Anatomy,
  toDouble: (high: number, low: number) => number,
  policy: typeof BITWISE & Policy,
): Judge {
  const fail = (kind: MismatchKind): Judgement => ({
    kind,
    ulp: Number.POSITIVE_INFINITY,
    abs: Number.POSITIVE_INFINITY,
  });
  const exactBits = policy.nan === 'bits';
  return (e, eh, a, ah, ulp, atol) => {
    if (e === a && eh === ah) return PASS;
    const eNan = x.isNan(eh, e);
    const aNan = x.isNan(ah, a);
    if (eNan || aNan) {
      if (!eNan) return fail('unexpected-nan');
      if (!aNan) return fail('missing-nan');
      const quiet = x.quiet!;
      const canonical = x.magnitudeHigh(ah) === quiet.high && x.magnitudeLow(a) === quiet.low;
      return exactBits || (policy.nan === 'canonical' && !canonical) ? fail('nan-bits') : PASS;
    }
    const eNegative = x.isNegative(eh, e);
    const aNegative = x.isNegative(ah, a);
    const emh = x.magnitudeHigh(eh);
    const eml = x.magnitudeLow(e);
    const amh = x.magnitudeHigh(ah);
    const aml = x.magnitudeLow(a);
    // Same sign: the difference of magnitudes; opposite signs: the sum, with both zeros as one point.
    const distance =
      eNegative === aNegative ? Math.abs((emh - amh) * 2 ** 32 + (eml - aml)) : (emh + amh) * 2 ** 32 + (eml + aml);
    if (x.isInf(eh, e)) return fail('inf');
    if (x.isInf(ah, a)) {
      const reach = policy.overflow === 'within-ulp' && eNegative === aNegative && distance <= ulp;
      return reach ? { kind: undefined, ulp: distance, abs: Number.POSITIVE_INFINITY } : fail('inf');
    }
    if (distance === 0) return policy.zero === 'unsigned' ? PASS : { kind: 'sign-of-zero', ulp: 0, abs: 0 };
    const actualZero = amh === 0 && aml === 0;
    const expectedSubnormal = x.isSubnormal(eh, e);
    if (policy.subnormal !== 'preserve') {
      // A result that the bound allows to be subnormal may have been flushed before rounding to the smallest normal.
      const { high, low } = x.minNormal;
      const aboveNormal = (emh - high) * 2 ** 32 + (eml - low);
      if (actualZero && aboveNormal < ulp && (high !== 0 || low !== 0)) return PASS;
      const normal = amh === high && aml === low && eNegative === aNegative;
      if (policy.subnormal === 'maybe' && expectedSubnormal && normal) return PASS;
    }
    const ev = toDouble(eh, e);
    const av = toDouble(ah, a);
    const abs = Math.abs(ev - av);
    if (distance <= ulp || (atol > 0 && within(ev, av, atol))) return { kind: undefined, ulp: distance, abs };
    // Steps across zero count every subnormal, and say nothing about how wrong the sign is.
    const apart = eNegative !== aNegative && !actualZero && (emh !== 0 || eml !== 0);
    if (apart) return { kind: 'sign', ulp: Number.POSITIVE_INFINITY, abs };
    return { kind: expectedSubnormal && actualZero ? 'flushed' : 'value', ulp: distance, abs };
  };
}

const anySubnormal = (inputs: readonly HostArray[]): ((lane: number) => boolean) => {
  const tests = inputs.flatMap((input) => {
    const lanes = lanesOf(input);
    if (!lanes.type.float) return [];
    const { isSubnormal } = anatomyOf(lanes.type);
    const scalar = lanes.count === 1;
    return [(i: number) => isSubnormal(lanes.high(scalar ? 0 : i), lanes.low(scalar ? 0 : i))];
  });
  return (i) => tests.some((test) => test(i));
};

const worse = (a: Mismatch, b: Mismatch): number => (a.ulp === b.ulp ? a.index - b.index : b.ulp - a.ulp);

/** Result for each element: no kind if it passes, `absolute` if it passes only by the absolute bound. */
type Visitor = (index: number, kind: MismatchKind | undefined, ulp: number, abs: number, absolute: boolean) => void;

const rulesOf = (policy: Compare | Policy): typeof BITWISE & Policy =>
  policy === 'bits' ? BITWISE : { ...LENIENT, ...policy };

/** Compares two arrays of the same type and length element by element, in order. */
export function judgeElements(
  expected: HostArray,
  actual: HostArray,
  policy: Compare | Policy,
  options: CompareOptions,
  visit: Visitor,
): void {
  const judge = elementJudge(expected, actual, rulesOf(policy), options, visit);
  const count = expected.bytes.length / expected.dtype.hostBytes;
  for (let element = 0; element < count; element++) judge(element);
}

/** Judges single elements of two arrays of the same type and length. */
function elementJudge(
  expected: HostArray,
  actual: HostArray,
  rules: typeof BITWISE & Policy,
  options: CompareOptions,
  visit: Visitor,
): (element: number) => void {
  const want = lanesOf(expected);
  const have = lanesOf(actual);
  const type = want.type;
  const toDouble = type.float ? laneValue(type) : undefined;
  const judge = toDouble
    ? floatJudge(anatomyOf(type), toDouble, rules)
    : integerJudge(type.kind === 'signed', type.bits);
  const parts = expected.dtype.component ? 2 : 1;
  const alternatives = rules.subnormal === 'preserve' ? [] : (options.flushed ?? []).map(lanesOf);
  const subnormal = alternatives.length > 0 ? anySubnormal(options.inputs ?? []) : () => false;
  const item = type.hostBytes;
  const { poison, bounds } = options;
  const isPoison = (lane: number): boolean => {
    if (poison === undefined) return false;
    for (let b = lane * item; b < (lane + 1) * item; b++) if (actual.bytes[b] !== poison) return false;
    return true;
  };
  /** Rules besides distance: memory that was never written, and the range that applies whatever the tolerance. */
  const further = (verdict: Judgement, lane: number): Judgement => {
    // In one or two bytes the poison may be close to a correct value: there it only labels a failure.
    if (verdict !== PASS && (verdict.kind || item >= 4) && isPoison(lane)) return { ...verdict, kind: 'unwritten' };
    if (!rules.range || !toDouble || verdict.kind) return verdict;
    const value = toDouble(have.high(lane), have.low(lane));
    return value < rules.range[0] || value > rules.range[1] ? { ...verdict, kind: 'range' } : verdict;
  };

  return (element) => {
    let kind: MismatchKind | undefined;
    let ulp = 0;
    let abs = 0;
    let absolute = false;
    const ulpBound = bounds?.ulp?.[element] ?? rules.ulp;
    const atolBound = bounds?.atol?.[element] ?? rules.atol ?? 0;
    for (let lane = element * parts; lane < (element + 1) * parts; lane++) {
      const low = have.low(lane);
      const high = have.high(lane);
      let verdict = judge(want.low(lane), want.high(lane), low, high, ulpBound, atolBound);
      if (verdict.kind && subnormal(lane)) {
        for (const other of alternatives) {
          const second = judge(other.low(lane), other.high(lane), low, high, ulpBound, atolBound);
          if (!second.kind) verdict = second;
        }
      }
      if (verdict !== PASS || rules.range) verdict = further(verdict, lane);
      kind ??= verdict.kind;
      if (!verdict.kind && verdict.ulp > ulpBound) absolute = true;
      ulp = Math.max(ulp, verdict.ulp);
      abs = Math.max(abs, verdict.abs);
    }
    visit(element, kind, ulp, abs, absolute && !kind);
  };
}

/** Compares an array with the expected one. Never throws: all differences are in the result. */
export function compareArrays(
  expected: HostArray,
  actual: HostArray,
  policy: Compare | Policy = 'bits',
  options: CompareOptions = {},
): Comparison {
  const result: Comparison = {
    ok: true,
    countMismatch: 0,
    without: { nan: 0, infinity: 0, sign: 0 },
    countAbsolute: 0,
    total: expected.bytes.length / expected.dtype.hostBytes,
    maxUlp: 0,
    maxUlpIndex: -1,
    histogram: emptyHistogram(),
    worst: [],
    expected,
    actual,
    policy,
    options,
  };
  const structure = structureOf(expected, actual);
  if (structure) return { ...result, ok: false, structure };
  if (
    Buffer.compare(expected.bytes, actual.bytes) === 0 &&
    (policy === 'bits' || !('range' in policy && policy.range))
  ) {
    // The usual case, and much cheaper than comparing elements.
    return { ...result, maxUlpIndex: result.total > 0 ? 0 : -1, histogram: { ...result.histogram, '0': result.total } };
  }
  const expectedBits = reader(expected);
  const actualBits = reader(actual);
  const rules = rulesOf(policy);
  let places: Places | undefined;
  const judge = elementJudge(expected, actual, rules, options, (index, kind, ulp, abs, absolute) => {
    const without = kind && UNDISTANCED[kind];
    if (without) result.without[without]++;
    if (absolute) result.countAbsolute++;
    bump(result.histogram, without === 'sign' ? 'sign' : absolute ? 'abs' : ulp);
    if (!absolute && ulp < Number.POSITIVE_INFINITY && (ulp > result.maxUlp || result.maxUlpIndex < 0)) {
      result.maxUlp = ulp;
      result.maxUlpIndex = index;
    }
    if (!kind) return;
    result.countMismatch++;
    places ??= new Places(expected.shape);
    places.add(index);
    // Where bits are compared, the first mismatches say more than those farthest apart.
    if (result.worst.length === SHOWN && (policy === 'bits' || result.worst.at(-1)!.ulp >= ulp)) return;
    const mismatch = { index, kind, expectedBits: expectedBits(index), actualBits: actualBits(index), ulp, abs };
    if (result.countMismatch === 1) Object.assign(result, mismatch, { ok: false });
    result.worst.push(mismatch);
    if (policy !== 'bits') result.worst.sort(worse);
    result.worst.length = Math.min(result.worst.length, SHOWN);
  });
  const uniform = options.bounds === undefined && rules.range === undefined;
  const close = uniform
    ? closeArrays(expected, actual, { ulp: rules.ulp, atol: rules.atol, poison: options.poison })
    : undefined;
  const next = (element: number): number => (close ? close.skip(element) : element);
  for (let element = next(0); element < result.total; element = next(element + 1)) judge(element);
  close?.addTo(result);
  return places ? { ...result, places: places.summary(expected, actual) } : result;
}
