import type { Fault } from './catalogue.ts';
import { cell, code } from './markdown.ts';
import { type ProfileScore, type ProfileScores, profileLine } from './profile-score.ts';

/** Part of docs/mutation.md: what the cases of a profile detect. */
export function profilesMarkdown(scores: ProfileScores, catalogue: readonly Fault[]): string[] {
  return Object.entries(scores).flatMap(([profile, score]) => [
    `## With the profile ${profile}`,
    '',
    `**${profileLine(profile, score)}**`,
    '',
    'A fault counts as detected by the profile if one of its cases detects it in the same plugin, or a monitor does during one. Most',
    'that escape need a compilation of their own, or many. Faults that only large arrays or the profile models show are not counted.',
    '',
    '| Area | Detected by full | By the profile | Escape it |',
    '|---|---|---|---|',
    ...rows(score, catalogue),
    '',
    'Escapes, with a case that detects each:',
    '',
    ...catalogue
      .filter(({ name }) => score.escaped[name] !== undefined)
      .map(({ name, defect }) => `- ${code(name)}: ${cell(defect)} (${code(score.escaped[name]!)})`),
    '',
  ]);
}

function rows({ detected, escaped }: ProfileScore, catalogue: readonly Fault[]): string[] {
  return [...new Set(catalogue.map(({ area }) => area))].map((area) => {
    const names = catalogue.filter((fault) => fault.area === area).map(({ name }) => name);
    const found = names.filter((name) => detected[name] !== undefined).length;
    const missed = names.filter((name) => escaped[name] !== undefined).length;
    return `| ${area} | ${found + missed} | ${found} | ${missed} |`;
  });
}
