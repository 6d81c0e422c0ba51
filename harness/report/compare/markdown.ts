import { counted } from '../../base/counted.ts';
import { code, fenced, htmlText, markdownText } from '../markdown-text.ts';
import type { Change } from './change.ts';
import type { Comparison } from './compare.ts';
import {
  type ChangeGroup,
  exceptionText,
  fromTo,
  groups,
  numbersText,
  quietText,
  sideText,
  timeText,
  transitionText,
} from './words.ts';

/** GitHub's limit for a comment. */
export const MARKDOWN_LIMIT = 65_535;
/** Reserved for the end of the comment and for the note that something is missing. */
const RESERVED = 2_000;

/**
 * The comparison as a comment on a pull request: GitHub-flavoured Markdown within the size limit of comments. What does not
 * fit is counted, not dropped silently.
 */
export function writeMarkdown(comparison: Comparison, write: (chunk: string) => void): void {
  const { gate, cautions, changes } = comparison;
  const end = ending(comparison);
  let room = MARKDOWN_LIMIT - RESERVED - end.length;
  const fits = (chunk: string): boolean => {
    if (chunk.length > room) return false;
    room -= chunk.length;
    write(chunk);
    return true;
  };
  fits(`## ${gate.verdict === 'fail' ? '❌' : '✅'} PJRT gate: ${markdownText(gate.line)}\n\n`);
  fits(`| | |\n|---|---|\n${sideRow('old', comparison.old)}${sideRow('new', comparison.new)}\n`);
  let left = cautions.filter((caution) => !fits(`> ⚠️ ${markdownText(caution)}\n`)).length;
  for (const action of ['fail', 'warn'] as const) {
    for (const group of groups(changes.filter((change) => change.action === action))) {
      left += section(group, action === 'fail', fits, write);
    }
  }
  if (left > 0) {
    write(
      `\n**${counted(left, 'more entry does', 'more entries do')} not fit into a comment:** see comparison.json.\n`,
    );
  }
  write(end);
}

/** @returns the number of changes that did not fit */
function section(
  { title, changes }: ChangeGroup,
  open: boolean,
  fits: (chunk: string) => boolean,
  write: (chunk: string) => void,
): number {
  const head = `${markdownText(title)} (${changes.length})`;
  if (!fits(open ? `\n### ${head}\n\n` : `\n<details><summary>${head}</summary>\n\n`)) return changes.length;
  let left = 0;
  for (const change of changes) if (left > 0 || !fits(block(change))) left++;
  // Taken from the reserve: an unclosed element would swallow the rest of the comment.
  if (!open) write('\n</details>\n');
  return left;
}

function block(change: Change): string {
  const { subject, plugin, message, detail = [], place, requirements = [], reproduce, caution } = change;
  const exception = exceptionText(change);
  const name = `<code>${htmlText(subject)}</code>${plugin ? ` of ${htmlText(plugin)}` : ''}`;
  const way = fromTo(change);
  const lines = [
    ...detail,
    ...(place ? [[place, requirements.join(' ')].filter(Boolean).join(' · ')] : []),
    ...(reproduce ? [`reproduce: ${reproduce}`] : []),
  ];
  const remarks = [...(exception ? [exception] : []), ...(caution ? [`caution: ${caution}`] : [])].map(
    (remark) => `  <br>${markdownText(remark)}\n`,
  );
  const line = `${name}${way ? ` ${htmlText(way)}` : ''}: `;
  if (lines.length === 0) return `- ${line}${markdownText(message)}\n${remarks.join('')}`;
  return (
    `<details><summary>${line}${htmlText(message)}</summary>\n\n${fenced(lines)}\n${remarks.join('')}` +
    '</details>\n\n'
  );
}

function ending(comparison: Comparison): string {
  const [quiet, numbers] = [quietText(comparison), numbersText(comparison)];
  return [
    `\n- cases: ${markdownText(transitionText(comparison))}\n`,
    quiet ? `- also: ${markdownText(quiet)}\n` : '',
    numbers ? `- numbers: ${markdownText(numbers)}\n` : '',
    `- times: ${markdownText(timeText(comparison))}\n`,
  ].join('');
}

const sideRow = (label: string, side: Comparison['old']): string =>
  `| ${label} | ${markdownText(sideText(side))}: ${side.cases} cases, ${code(side.verdict.name)} |\n`;
