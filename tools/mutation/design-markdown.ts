import type { Fault } from './catalogue.ts';
import { type DesignScore, type DesignScores, faultsOf, reasonOn, shareOf } from './design-score.ts';
import { cell, code } from './markdown.ts';

/** Part of docs/mutation.md: detection of the faults on plugins of other designs. */
export function designsMarkdown(scores: DesignScores, catalogue: readonly Fault[]): string[] {
  const designs = Object.entries(scores);
  if (designs.length === 0) return [];
  return [
    '## On other designs',
    '',
    'The same faults in valid plugins of other [designs](../plugins/designs/README.md). A fault applies if a case that covers',
    'what it violates passes on the plugin without it, and if what it changes exists; the others are counted separately.',
    '',
    '| Design | Base | Faults planted | Do not apply | Apply | Detected | Score | Not detected |',
    '|---|---|---|---|---|---|---|---|',
    ...designs.map(([name, score]) => row(name, score)),
    '',
    ...open(scores, catalogue),
  ];
}

function row(design: string, score: DesignScore): string {
  const { base, every, detected } = score;
  const { apply, share } = shareOf(score);
  const total = faultsOf(score).length;
  const missed = Object.keys(score.open).map(code).join(', ');
  const put = every === 1 ? `${total}, all` : `${total}, about one in ${every}`;
  const share100 = `${(share * 100).toFixed(1)} %`;
  return `| ${design} | ${base} | ${put} | ${total - apply} | ${apply} | ${detected.length} | ${share100} | ${missed} |`;
}

/** Each fault that some design leaves undetected, with the designs and the reason; those with one reason are grouped. */
function open(scores: DesignScores, catalogue: readonly Fault[]): string[] {
  const lines = catalogue.flatMap((fault) => {
    const reasons = new Map<string, string[]>();
    for (const [design, score] of Object.entries(scores)) {
      const outcome = score.open[fault.name];
      if (outcome === undefined) continue;
      const reason = reasonOn(fault, design) ?? `${outcome}; no reason is given yet`;
      reasons.set(reason, [...(reasons.get(reason) ?? []), design]);
    }
    return [...reasons].map(
      ([reason, designs]) => `- ${code(fault.name)} on ${designs.join(', ')}: ${cell(fault.defect)} ${cell(reason)}`,
    );
  });
  return lines.length === 0 ? [] : ['Not detected there:', '', ...lines, ''];
}
