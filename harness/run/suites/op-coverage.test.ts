import { expect, test } from 'vitest';
import { SPACES } from '../../knowledge/ops/spaces.ts';
import { formatOpCoverage, opCoverage } from '../../suite/op-coverage.ts';
import { loadAllSuites } from './load-suites.ts';

const { abs, slice } = SPACES;

test('the suites run the forms of every operation that has some, and all of them', async () => {
  const cases = (await loadAllSuites()).flatMap((suite) => suite.cases);
  const probes = cases.flatMap(({ steps }) => steps.flatMap((step) => (step.verb === 'probe' ? [step] : [])));
  const shares = new Map<unknown, Set<unknown>>();
  for (const { name, with: options = {} } of probes) {
    if (name !== 'op-forms') continue;
    shares.set(options.op, (shares.get(options.op) ?? new Set()).add(options.share));
  }
  for (const op of Object.keys(SPACES)) {
    expect([op, shares.get(op)?.has('first'), shares.get(op)?.has('rest')]).toEqual([op, true, true]);
  }
  const { ops, without } = opCoverage(cases, { abs: abs!, slice: slice! });
  for (const { forms, values, pairs } of ops) {
    expect([forms > 0, values.covered, pairs.covered]).toEqual([true, values.legal, pairs.legal]);
  }
  expect(without).toContain('cholesky');
  expect(formatOpCoverage({ ops, without })).toMatch(/^slice +\d+ +100 % of \d+ +100 % of \d+/m);
});

test('what no case runs is not covered', () => {
  expect(opCoverage([], { abs: abs! }).ops[0]).toMatchObject({
    forms: 0,
    values: { covered: 0 },
    pairs: { covered: 0 },
  });
});
