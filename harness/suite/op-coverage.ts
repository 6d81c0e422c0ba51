import { asJson } from '../base/as-json.ts';
import { textTable } from '../base/text-table.ts';
import { covering } from '../knowledge/ops/pairs.ts';
import type { Space } from '../knowledge/ops/space.ts';
import { SPACES } from '../knowledge/ops/spaces.ts';
import { stablehloOps } from '../knowledge/programs/stablehlo-ops.ts';
import type { Case } from './types.ts';

/** How much of what an operation can be asked the cases of the suites ask. */
interface OpCoverage {
  op: string;
  /** Forms that cases run. */
  forms: number;
  values: { covered: number; legal: number };
  pairs: { covered: number; legal: number };
  /** Values and pairs that are no form, by the reason. */
  illegal: Readonly<Record<string, number>>;
}

/** The coverage of all operations with a space, and the operations that have none. */
export interface OpsCoverage {
  ops: OpCoverage[];
  without: string[];
}

/** Which values of attributes, and pairs of them, the forms have that cases run. */
export function opCoverage(cases: readonly Case[], spaces: Readonly<Record<string, Space>> = SPACES): OpsCoverage {
  const run = new Set(
    cases.flatMap(({ steps }) =>
      steps.flatMap((step) => (step.verb === 'probe' && step.name === 'op-forms' ? [step.with?.op] : [])),
    ),
  );
  const ops = Object.entries(spaces).map(([op, space]): OpCoverage => {
    const { forms, values, pairs } = covering(space);
    const share = (legal: number) => ({ covered: run.has(op) ? legal : 0, legal });
    const reasons = [...values.illegal.values(), ...pairs.illegal.values()];
    return {
      op,
      forms: run.has(op) ? forms.length : 0,
      values: share(values.covered),
      pairs: share(pairs.covered),
      illegal: Object.fromEntries(
        [...new Set(reasons)].sort().map((why) => [why, reasons.filter((one) => one === why).length]),
      ),
    };
  });
  return { ops, without: stablehloOps().filter((op) => !(op in spaces)) };
}

/** A line for each operation, what is no form and why, and the operations without forms. */
export function formatOpCoverage({ ops, without }: OpsCoverage): string {
  const percent = ({ covered, legal }: OpCoverage['pairs']): string =>
    `${Math.floor((100 * covered) / legal)} % of ${legal}`;
  const head = ['operation', 'forms', 'values', 'pairs', 'no form'];
  const rows = ops.map(({ op, forms, values, pairs, illegal }) => [
    op,
    String(forms),
    percent(values),
    percent(pairs),
    String(Object.values(illegal).reduce((n, times) => n + times, 0)),
  ]);
  const reasons = new Map<string, number>();
  for (const { illegal } of ops) {
    for (const [why, times] of Object.entries(illegal)) reasons.set(why, (reasons.get(why) ?? 0) + times);
  }
  const why = [...reasons].sort((a, b) => b[1] - a[1]).map(([reason, times]) => [String(times), reason]);
  return [
    ...textTable([head, ...rows]),
    '',
    'Values and pairs that are no form:',
    ...textTable(why, { indent: '  ' }),
    '',
    `Without forms: ${without.join(', ')}`,
    '',
  ].join('\n');
}

/** The same as JSON. */
export const opCoverageJson = (found: OpsCoverage): string => asJson(found);
