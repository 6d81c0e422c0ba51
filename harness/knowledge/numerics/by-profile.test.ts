import { describe, expect, it } from 'vitest';
import { fromBits, fromValues, type HostArray } from './array.ts';
import { bound, contractionBound, PROFILES, type Profile, subnormalRule } from './bounds.ts';
import { compareByProfile, type Rules } from './by-profile.ts';
import { dtype } from './dtypes.ts';

/** An array of f32 (or another type) whose elements are this many steps from 1.5. */
const steps = (type: string, one: number, distance: number): HostArray =>
  fromBits(dtype(type), [2], [one, one + distance]);

const rulesFor =
  (op: string, type: string) =>
  (profile: Profile): Rules => {
    const { ulp, atol, source } = bound(op, type, profile);
    const subnormal = subnormalRule(profile).policy;
    return { policy: { ulp, source, subnormal, ...(atol === undefined ? {} : { atol }) }, options: {} };
  };

/** The tightest profile that these deviations meet, and the profiles under which they pass. */
function verdicts(op: string, type: string, one: number, distance: number): [string | undefined, Profile[]] {
  const [e, a] = [steps(type, one, 0), steps(type, one, distance)];
  const under = (profile: Profile) => compareByProfile(e, a, profile, rulesFor(op, type));
  const passing = PROFILES.filter((profile) => under(profile).comparison.ok);
  const met = new Set(PROFILES.map((profile) => under(profile).meets));
  expect(met.size).toBe(1);
  return [[...met][0], passing];
}

describe('every profile passes up to its bound and fails one step beyond', () => {
  const F32 = 0x3fc00000;
  it.each<[op: string, type: string, one: number, edges: [number, number, number]]>([
    ['tanh', 'f32', 0x3f000000, [5, 8, 16]],
    ['sqrt', 'f32', F32, [0, 3, 16]],
    ['add', 'f32', F32, [0, 0, 16]],
    ['logistic', 'f32', 0x3f000000, [6, 16, 3355]],
    ['power', 'f32', F32, [16, 16, 3355]],
    ['cbrt', 'f32', F32, [2, 32, 140]],
    ['sine', 'f16', 0x3a00, [1, 2, 4]],
    ['maximum', 'f32', F32, [0, 0, 0]],
    ['convert', 'bf16', 0x3fc0, [0, 0, 0]],
  ])('%s of %s', (op, type, one, edges) => {
    for (const profile of PROFILES) {
      // An absolute bound may allow more than the steps.
      const reach = (name: Profile): number => {
        const { atol = 0 } = bound(op, type, name);
        const step = 2 ** (type === 'f16' ? -11 : type === 'bf16' ? -7 : one < 0x3f800000 ? -24 : -23);
        return Math.max(edges[PROFILES.indexOf(name)]!, Math.floor(atol / step));
      };
      const edge = reach(profile);
      const tightest = PROFILES.find((name) => reach(name) >= edge);
      expect(verdicts(op, type, one, edge)).toEqual([tightest, PROFILES.filter((name) => reach(name) >= edge)]);
      const next = PROFILES.find((name) => reach(name) > edge);
      const [meets, passing] = verdicts(op, type, one, edge + 1);
      expect(meets).toBe(next);
      expect(passing).not.toContain(profile);
    }
  });
});

it('only strict requires subnormal results', () => {
  const [e, a] = [fromValues(dtype('f32'), [1], [1e-40]), fromValues(dtype('f32'), [1], [0])];
  const under = (profile: Profile) => compareByProfile(e, a, profile, rulesFor('multiply', 'f32'));
  expect(PROFILES.map((profile) => under(profile).comparison.ok)).toEqual([false, true, true]);
  expect(under('strict').meets).toBe('standard');
});

it('a NaN meets no profile', () => {
  const [e, a] = [fromValues(dtype('f32'), [2], [1, 'nan']), fromValues(dtype('f32'), [2], [1, 2])];
  expect(compareByProfile(e, a, 'relaxed', rulesFor('power', 'f32'))).not.toHaveProperty('meets');
});

it('sums of products may have larger errors only under relaxed', () => {
  expect(PROFILES.map((profile) => contractionBound(profile).factor)).toEqual([1, 1, 16]);
});
