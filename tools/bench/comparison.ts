import { compareArrays, type Policy } from '../../harness/numerics/compare.ts';
import { dtype } from '../../harness/numerics/dtypes.ts';
import { hashOf } from '../../harness/numerics/hash.ts';

const ELEMENTS = 20_000_000;
const ROUNDS = 3;
const POISON = 0xa5;

/** Elements of an array that is compared with an expected one, a second, best of three; its results are 0 to 3 ULP off. */
export function measureComparison(name: string, policy: Policy | 'bits'): number {
  const type = dtype(name);
  const words = () => (type.hostBytes === 4 ? new Uint32Array(ELEMENTS) : new Uint16Array(ELEMENTS));
  const [expected, actual] = [words(), words()];
  const hash = hashOf(1);
  // All in [1, 2).
  const one = type.hostBytes === 4 ? 0x3f800000 : name === 'bf16' ? 0x3f80 : 0x3c00;
  for (let i = 0; i < ELEMENTS; i++) {
    const random = hash(i);
    expected[i] = one + (random & 0x3f);
    actual[i] = expected[i]! + (policy === 'bits' ? 0 : (random >>> 8) & 3);
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
