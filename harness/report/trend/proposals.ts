import { Document, isCollection, isScalar, visit } from 'yaml';
import { groupedBy } from '../../base/grouping.ts';
import type { Status } from '../../model/status.ts';
import { globsOf } from '../updated-expectations.ts';
import type { CaseTrend } from './case-trends.ts';

/** An entry for an expectations file that would excuse cases which are unstable, or flaky in a run. */
export interface Proposal {
  cases: string[];
  expect: Status[];
  /** What the runs say: `failed in 3 of the last 10 runs`. */
  reason: string;
  requirements?: string[];
}

/** Entries for unstable and flaky cases; those of a family that are alike share one. @param ids of all cases of the newest run */
export function proposalsFor(trends: readonly CaseTrend[], runs: number, ids: readonly string[]): Proposal[] {
  const unsteady = trends.filter(({ kind }) => kind === 'unstable' || kind === 'flaky');
  const alike = groupedBy(unsteady, (trend) =>
    JSON.stringify([trend.case.split('[', 1)[0], expected(trend), frequencyText(trend, runs), trend.requirements]),
  );
  return [...alike.values()].map((group) => {
    const [{ requirements }] = group as [CaseTrend];
    return {
      cases: globsOf(
        group.map((trend) => trend.case),
        ids,
      ),
      expect: expected(group[0]!),
      reason: frequencyText(group[0]!, runs),
      ...(requirements.length > 0 ? { requirements } : {}),
    };
  });
}

/** `flaky` allows that it passes; in a run without further attempts it ends as it failed. */
const expected = ({ failures }: CaseTrend): Status[] => ['flaky', ...failures.filter((status) => status !== 'flaky')];

/** `failed in 3 of the last 10 runs, flaky in 1`. */
export function frequencyText({ failed, flaky, tried }: CaseTrend, runs: number): string {
  const parts = [...(failed > 0 ? [`failed in ${failed}`] : []), ...(flaky > 0 ? [`flaky in ${flaky}`] : [])];
  const of = tried === runs ? `of the last ${runs} runs` : `of ${tried} runs that tried it, of the last ${runs}`;
  return [`${parts[0]} ${of}`, ...parts.slice(1)].join(', ');
}

/** The entries as an expectations file. @param plugin its name, which the file is for */
export function proposedFile(proposals: readonly Proposal[], plugin: string): string {
  const document = new Document({
    when: { plugin },
    expectations: proposals.map(({ cases, ...entry }) => ({ cases: cases.length === 1 ? cases[0] : cases, ...entry })),
  });
  visit(document, {
    Pair(_, { key, value }) {
      if (isScalar(key) && key.value !== 'expectations' && isCollection(value)) value.flow = true;
    },
  });
  document.commentBefore = [
    ' yaml-language-server: $schema=./node_modules/pjrt-conformance/schemas/expectations.schema.json',
    ` Unstable cases of ${plugin}, proposed by trend: see docs/expectations.md of pjrt-conformance.`,
  ].join('\n');
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}
