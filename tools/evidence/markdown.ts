import type { Coverage } from '../../harness/suite/coverage.ts';
import { type Evidence, evidenceFor, OWN } from './evidence.ts';

/** What docs/coverage.md is made from. */
interface Sources {
  coverage: Coverage;
  evidence: Evidence;
  /** Faults that are detected, by the requirement that they violate. */
  faults: ReadonlyMap<string, number>;
  /** Why requirements rest on our own plugin alone. */
  alone: Readonly<Record<string, string>>;
}

type Row = Coverage['requirements'][number];

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** MUSTs that only our own plugin has exercised: their verdicts agree with its author's reading. */
export const mustsAlone = ({ requirements }: Coverage, evidence: Evidence): Row[] =>
  requirements.filter(({ id, level }) => {
    const { tried } = evidenceFor(evidence, id);
    return level === 'must' && tried.length > 0 && tried.every((name) => name === OWN);
  });

/** The traceability matrix: requirement, cases, and where each was seen to hold and to be violated. */
export function coverageDocument(sources: Sources): string {
  const { coverage, evidence, alone } = sources;
  const { areas, requirements, total, covered } = coverage;
  const plugins = Object.entries(evidence).map(([name, { api }]) => `${name} (${api})`);
  const lines = [
    `${covered} of ${total} requirements have a case.`,
    '',
    '*Tried on*: the plugins on which a case of the requirement passed or failed, as against those where it was unsupported: ' +
      `${plugins.join(', ')}; libtpu and xla-cuda13 without a device, xla-cuda13-115 on an H100. *Seen failing*: plugins that violate it, and the number ` +
      'of [faults](mutation.md) that violate it and are detected.',
    '',
    '## MUSTs that rest on our own plugin alone',
    '',
    '| Id | Requirement | Why |',
    '|---|---|---|',
    ...mustsAlone(coverage, evidence).map(({ id, text }) => `| ${id} | ${cell(text)} | ${cell(alone[id] ?? '')} |`),
  ];
  for (const { area, total: all, covered: some } of areas) {
    lines.push(
      '',
      `## ${area} (${some} of ${all})`,
      '',
      '| Id | Level | Requirement | Cases | Tried on | Seen failing |',
      '|---|---|---|---|---|---|',
      ...requirements.filter((one) => one.area === area).map((one) => row(one, sources)),
    );
  }
  return `${lines.join('\n')}\n`;
}

function row({ id, level, text, source, cases }: Row, { evidence, faults }: Sources): string {
  const { tried, violated } = evidenceFor(evidence, id);
  const count = faults.get(id) ?? 0;
  const failing = [...violated, ...(count > 0 ? [`${count} ${count === 1 ? 'fault' : 'faults'}`] : [])];
  const names = cases.map((name) => `\`${name}\``).join(', ') || 'none';
  const because = source === undefined ? '' : ` *${cell(source)}*`;
  return `| ${id} | ${level} | ${cell(text)}${because} | ${names} | ${tried.join(', ')} | ${failing.join(', ')} |`;
}
