/** The accuracy profiles: allowed errors by operation and type. The specification gives none, so these are our own. */
import { suggestion } from '../../base/did-you-mean.ts';
import { dataIn } from '../../base/paths.ts';
import type { HostArray } from './array.ts';
import { elementCount, reader } from './array.ts';
import type {} from './bounds.json'; // makes the compiler copy the file beside this module
import { decode } from './codec.ts';
import { dtype } from './dtypes.ts';

/** Names of the profiles, tightest first. */
export const PROFILES = ['strict', 'standard', 'relaxed'] as const;

/** Name of a profile. */
export type Profile = (typeof PROFILES)[number];

/** An operation or a profile has no bound. */
class BoundError extends Error {
  override name = 'BoundError';
}

/** Allowed error for one operation, type and profile. */
interface Bound {
  ulp: number;
  /** Additional ULP per unit of |x|, rounded down: argument reduction loses bits as |x| grows. */
  growth?: number;
  atol?: number;
  /** Allowed difference as a fraction of the largest finite magnitude of the expected array. */
  norm?: number;
  /** Inputs for which the bound holds, inclusive. */
  domain?: readonly [number, number];
  /** Interval that contains every result, whatever the bound. */
  range?: readonly [number, number];
  source: string;
}

/** Treatment of subnormal results, and of results of subnormal operands. */
interface SubnormalRule {
  policy: 'preserve' | 'maybe';
  source: string;
}

type Limits = Pick<Bound, 'ulp' | 'growth' | 'atol' | 'norm'>;
type Sourced<T> = Record<Profile, T & { source: string }>;
/** f16, bf16 and 8-bit floats have one rounding more than f32 (`narrow`, `float8`), unless the row has limits of their own. */
type Limited = { f32: Limits; f64: Limits; f16?: Limits; bf16?: Limits; float8?: Limits };
type Row = Sourced<Limited> & Pick<Bound, 'domain' | 'range'>;

interface BoundsFile {
  subnormals: Record<Profile, SubnormalRule>;
  contraction: Record<Profile, ContractionBound>;
  narrow: Sourced<Limits>;
  float8: Sourced<Limits>;
  exact: { ops: string[]; source: string };
  ops: Record<string, Row>;
}

const BOUNDS = dataIn<BoundsFile>('knowledge/numerics/bounds.json');

/** Operations that have a bound. */
export const boundedOps = (): string[] => [...Object.keys(BOUNDS.ops), ...BOUNDS.exact.ops];

/** Multiple of the a-priori bound of sums of products that is allowed. */
interface ContractionBound {
  factor: number;
  source: string;
}

/** Allowed error of sums of products. */
export const contractionBound = (profile: Profile): ContractionBound => BOUNDS.contraction[profile];

/** Whether a device may treat subnormal numbers as zero in computations. */
export const subnormalRule = (profile: Profile): SubnormalRule => BOUNDS.subnormals[profile];

/** The bound of an operation (StableHLO name, without dialect) on a type under a profile. */
export function bound(op: string, typeName: string, profile: Profile): Bound {
  const { ops, exact, narrow, float8 } = BOUNDS;
  const type = dtype(typeName);
  const real = type.component ?? type;
  if (!PROFILES.includes(profile))
    throw new BoundError(`no profile ${JSON.stringify(profile)}; there are ${PROFILES.join(', ')}`);
  if (exact.ops.includes(op)) return { ulp: 0, source: exact.source };
  const row = ops[op];
  if (!row) throw new BoundError(`no bound for operation ${JSON.stringify(op)}${suggestion(op, boundedOps())}`);
  if (real.kind !== 'float') return { ulp: 0, source: 'integers are exact' };
  const { domain, range } = row;
  const { f32, f64, source } = row[profile];
  const words = `profile ${profile}: ${source}`;
  const own = row[profile][real.bits <= 8 ? 'float8' : (real.name as keyof Limited)];
  if (own) return { ...own, domain, range, source: words };
  if (real.bits >= 32) return { ...(real.bits > 32 ? f64 : f32), domain, range, source: words };
  // One rounding from f32: basic operations stay exact, everything else has the bound of the narrow type.
  const { source: more, ...limits } = (real.bits <= 8 ? float8 : narrow)[profile];
  const atol = f32.atol !== undefined && profile === 'relaxed' ? { atol: f32.atol } : {};
  return { ...(f32.ulp === 0 ? { ulp: 0 } : limits), ...atol, domain, range, source: `${words}; ${more}` };
}

/** ULP bounds by element if the bound depends on the input; otherwise undefined. */
export function ulpBounds(allowed: Bound, input: HostArray): Float64Array | undefined {
  if (allowed.growth === undefined) return undefined;
  const read = reader(input);
  return Float64Array.from({ length: elementCount(input.shape) }, (_, i) => {
    const x = Math.abs(decode(input.dtype, read(i)) as number);
    return allowed.ulp + (Number.isFinite(x) ? Math.floor(allowed.growth! * x) : 0);
  });
}
