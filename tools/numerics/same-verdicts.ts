/**
 * Compares the comparator's fast ways with its rules on many random pairs of every element type:
 * `npx tsx tools/numerics/same-verdicts.ts [PAIRS]` (default 10,000,000 a type). The unit tests do the same on few.
 */
import { isDeepStrictEqual } from 'node:util';
import type { HostArray } from '../../harness/knowledge/numerics/array.ts';
import { byRules } from '../../harness/knowledge/numerics/by-rules.test-helper.ts';
import { compareArrays, type Policy } from '../../harness/knowledge/numerics/compare.ts';
import { DTYPES, type DType } from '../../harness/knowledge/numerics/dtypes.ts';
import { hashOf } from '../../harness/knowledge/numerics/hash.ts';

const CHUNK = 250_000;
const POISON = 0xa5;
const source = 'a test';
const POLICIES: readonly Policy[] = [
  { ulp: 0, nan: 'bits', zero: 'signed' },
  { ulp: 4, source },
  { ulp: 4, subnormal: 'maybe', source },
  { ulp: 16, subnormal: 'flush', zero: 'signed', source },
  { ulp: 0, atol: 1e-3, subnormal: 'maybe', source },
  { ulp: 2, atol: 1e3, nan: 'canonical', source },
];

/** Half of the pairs are a few steps apart, a quarter the same, the rest anything; so are NaNs, infinities and subnormals. */
function pairs(type: DType, seed: number): [HostArray, HostArray] {
  const lane = (type.component ?? type).hostBytes;
  const bytes = CHUNK * type.hostBytes;
  const [expected, actual] = [new Uint8Array(bytes), new Uint8Array(bytes)];
  const hash = hashOf(seed);
  const views = [expected, actual].map(({ buffer }) => new DataView(buffer)) as [DataView, DataView];
  for (let at = 0, n = 0; at < bytes; at += lane, n++) {
    const how = hash(3 * n);
    let high = hash(3 * n + 1);
    const low = hash(3 * n + 2);
    // Exponents at both ends are rare among random bits.
    if ((how & 7) === 0) high = (high & 0x807fffff) | (how & 8 ? 0x7f800000 : 0);
    const step = (how & 0x10) === 0 ? ((how >>> 8) % 41) - 20 : (how & 0x60) === 0 ? low : 0;
    write(views[0], at, lane, high, low);
    write(views[1], at, lane, lane === 8 ? high : (high + step) | 0, (low + step) | 0);
  }
  return [expected, actual].map((data) => ({ dtype: type, shape: [CHUNK], bytes: data })) as [HostArray, HostArray];
}

function write(view: DataView, at: number, lane: number, high: number, low: number): void {
  if (lane === 8) {
    view.setUint32(at, low, true);
    view.setUint32(at + 4, high, true);
  } else if (lane === 4) view.setUint32(at, high, true);
  // The upper half has the sign and the exponent.
  else if (lane === 2) view.setUint16(at, (high >>> 16) ^ (high & 0x7f), true);
  else view.setUint8(at, high & 0xff);
}

const wanted = Number(process.argv[2] ?? 10_000_000);
let wrong = 0;
for (const type of DTYPES) {
  let done = 0;
  let mismatches = 0;
  for (let seed = 1; done < wanted; seed++, done += CHUNK) {
    const [expected, actual] = pairs(type, seed);
    const policy = POLICIES[seed % POLICIES.length]!;
    const { histogram, countAbsolute, maxUlp, maxUlpIndex, countMismatch, index } = compareArrays(
      expected,
      actual,
      policy,
      { poison: POISON },
    );
    const fast = { histogram, countAbsolute, maxUlp, maxUlpIndex, countMismatch, index };
    const rules = byRules(expected, actual, policy, { poison: POISON });
    mismatches += countMismatch;
    if (isDeepStrictEqual(fast, rules)) continue;
    wrong++;
    process.stdout.write(`${type.name}, seed ${seed}, ${JSON.stringify(policy)}:\n`);
    process.stdout.write(`  fast  ${JSON.stringify(fast)}\n  rules ${JSON.stringify(rules)}\n`);
  }
  process.stdout.write(`${type.name.padEnd(14)} ${done} pairs, ${mismatches} mismatches\n`);
}
process.stdout.write(wrong === 0 ? 'no difference\n' : `${wrong} chunks differ\n`);
process.exitCode = wrong === 0 ? 0 : 1;
