import { expect, test } from 'vitest';
import { allReleases, releaseName } from '../../harness/verdict/frameworks/spec.ts';
import { recordedRows } from './recorded.ts';

/** Verdict of a measured run: the words of the record, in those of `compat`. */
const outcomeOf = (outcome: string): string =>
  /abort|crash|dies/.test(outcome) ? 'aborts' : /^accepted$|works/.test(outcome) ? 'works' : 'refuses';

test('the recorded table of xla-cpu has every release', () => {
  expect(recordedRows().map((r) => `${r.framework}@${r.version}`)).toEqual(allReleases().map(releaseName));
});

test('and agrees with the recorded runs of real frameworks', () => {
  const recorded = new Map(recordedRows().map((r) => [`${r.framework}@${r.version}`, r]));
  const differences: string[] = [];
  let compared = 0;
  for (const chosen of allReleases()) {
    const run = chosen.release.measured.find((m) => (m.compatibilityVariable ?? 'unset') === 'unset');
    if (!run) continue;
    compared++;
    const row = recorded.get(releaseName(chosen))!;
    const said = row.outcome === 'limits' ? 'works' : row.outcome;
    if (said !== outcomeOf(run.outcome)) differences.push(`${releaseName(chosen)}: ${said}, measured: ${run.outcome}`);
  }
  expect(differences).toEqual([]);
  expect(compared).toBeGreaterThan(30);
});
