/** Compares what two plugins made of a program. */
import { reader } from '../../knowledge/numerics/array.ts';
import { compareArrays } from '../../knowledge/numerics/compare.ts';
import type { Compare } from '../../knowledge/numerics/data.ts';
import { describe } from '../../knowledge/numerics/describe.ts';
import type { Outcome } from './execute.ts';
import { type Fact, holds } from './facts.ts';
import type { Program } from './ir.ts';
import type { Known } from './rule.ts';

/** What is said of a program. */
export type Verdict =
  | { kind: 'agree' }
  | { kind: 'refused'; by: 'plugin' | 'oracle'; reason: string }
  /** The plugin failed, or a result differs from the oracle's, or from what must hold for every plugin. */
  | { kind: 'finding'; what: 'difference' | 'bound' | 'failure'; signature: string; message: string };

/** How results of which this is known are compared: by their bits if they are exact, else within what both may err. */
export const comparisonOf = (fact: Fact): Compare =>
  fact.kind === 'integer'
    ? 'bits'
    : fact.error === 0
      ? { ulp: 0, zero: 'unsigned', source: 'exact in every order of evaluation' }
      : { ulp: 0, atol: 2 * fact.error, source: 'the errors that the accuracy profile allows, propagated, twice' };

/** @param known of all values of the program */
export function judge(program: Program, known: readonly Known[], oracle: Outcome, subject: Outcome): Verdict {
  if (oracle.kind === 'refused') return { kind: 'refused', by: 'oracle', reason: oracle.reason };
  if (oracle.kind !== 'results') {
    return { kind: 'refused', by: 'oracle', reason: oracle.kind === 'failed' ? oracle.signature : oracle.reason };
  }
  if (subject.kind === 'refused' || subject.kind === 'none') {
    return { kind: 'refused', by: 'plugin', reason: subject.reason };
  }
  if (subject.kind === 'failed') {
    return { kind: 'finding', what: 'failure', signature: subject.signature, message: subject.message };
  }
  for (const [i, r] of program.results.entries()) {
    const { fact } = known[r]!;
    const [expected, actual] = [oracle.arrays[i]!, subject.arrays[i]!];
    const comparison = compareArrays(expected, actual, comparisonOf(fact));
    if (!comparison.ok) {
      const outside = [
        ...(isWithin(fact, expected) ? [] : ["the oracle's values are outside of what every valid plugin returns"]),
        ...(isWithin(fact, actual) ? [] : ["the plugin's values are outside of what every valid plugin returns"]),
      ];
      const message = [`result ${i}: ${describe(comparison)}`, ...outside].join('\n');
      return { kind: 'finding', what: 'difference', signature: 'difference', message };
    }
    if (!isWithin(fact, actual)) {
      const message = `result ${i}: both plugins return values that no valid plugin returns (${bounds(fact)})`;
      return { kind: 'finding', what: 'bound', signature: 'bound', message };
    }
  }
  return { kind: 'agree' };
}

const bounds = (fact: Fact): string => `${fact.lo} to ${fact.hi}`;

function isWithin(fact: Fact, array: Parameters<typeof reader>[0]): boolean {
  const read = reader(array);
  const count = array.bytes.length / array.dtype.hostBytes;
  for (let i = 0; i < count; i++) if (!holds(fact, array.dtype, read(i))) return false;
  return true;
}
