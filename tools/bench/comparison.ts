import { compareArrays, type Policy } from '../../harness/knowledge/numerics/compare.ts';
import { dtype } from '../../harness/knowledge/numerics/dtypes.ts';
import { hashOf } from '../../harness/knowledge/numerics/hash.ts';

const ELEMENTS = 20_000_000;
const ROUNDS = 3;
const POISON = 0xa5;

/** The number one, so that all elements are in [1, 2): its highest word, and the one in which they differ. */
const ONE: Readonly<Record<string, { one: number; low: number }>> = {
  f16: { one: 0x3c00, low: 0x3c00 },
  bf16: { one: 0x3f80, low: 0x3f80 },
  f32: { one: 0x3f800000, low: 0x3f800000 },
  f64: { one: 0x3ff00000, low: 0 },
};

/** Elements of an array that is compared with an expected one, a second, best of three; its results are 0 to 3 ULP off. */
export function measureComparison(name: string, policy: Policy | 'bits'): number {
  const type = dtype(name);
  const real = type.component ?? type;
  const [lanes, halves] = [(ELEMENTS * type.hostBytes) / real.hostBytes, real.hostBytes === 8 ? 2 : 1];
  const words = () => (real.hostBytes === 2 ? new Uint16Array(lanes) : new Uint32Array(lanes * halves));
  const [expected, actual] = [words(), words()];
  const hash = hashOf(1);
  const { one, low } = ONE[real.name]!;
  for (let i = 0; i < lanes; i++) {
    const random = hash(i);
    const at = i * halves;
    expected[at] = low + (random & 0x3f);
    actual[at] = expected[at]! + (policy === 'bits' ? 0 : (random >>> 8) & 3);
    if (halves === 2) expected[at + 1] = actual[at + 1] = one;
  }
  const array = ({ buffer }: Uint32Array | Uint16Array) => ({
    dtype: type,
    shape: [ELEMENTS],
    bytes: new Uint8Array(buffer),
  });
  let best = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now();
    const { ok } = compareArrays(array(expected), array(actual), policy, { poison: POISON });
    if (!ok) throw new Error(`the comparison of ${name} failed`);
    best = Math.max(best, (ELEMENTS * 1000) / (performance.now() - began));
  }
  return best;
}
