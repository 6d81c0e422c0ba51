import { counted } from '../../base/counted.ts';
import { cleanLine } from '../../base/sanitize.ts';
import { shortened, wrapped } from '../../base/text-table.ts';
import type { Run } from '../../model/run.ts';
import type { Weighing } from '../../verdict/breach.ts';
import { wrongValuesText } from '../../verdict/cause-text.ts';
import { causeSize, endsCases } from '../../verdict/root-causes.ts';
import type { RequirementTexts } from '../format.ts';
import { caseBlock } from './cases.ts';
import { type CaseGroup, groupEffect } from './failure-groups.ts';
import type { Paint, Style } from './paint.ts';

/** Causes of which a case is shown in full; lines for these cases together, and at least for one. */
const IN_FULL = 6;
const LINES = 66;
const LEAST_LINES = 8;
/** Further causes, one line each. */
const LISTED = 14;
/** Length of the text of a cause, where lines do not end. */
const TEXT = 160;

export interface Manner {
  /** Characters per line; infinite if nothing wraps. */
  width: number;
  paint: Paint;
  texts?: RequirementTexts;
  /** Where the suite is that the log names. */
  onDisk?: (file: string) => string;
}

/** The failures of a run by cause: the first causes with a case each, what to fix first at the beginning; then one line each. */
export function failureLines(run: Run, weighing: Weighing, groups: readonly CaseGroup[], manner: Manner): string[] {
  if (groups.length === 0) return [];
  const { paint } = manner;
  const full = groups.slice(0, IN_FULL);
  const lines = Math.max(LEAST_LINES, Math.floor(LINES / full.length));
  const failing = groups.reduce((sum, { items }) => sum + items.length, 0);
  const causes = groups.filter(({ cause }) => cause).length;
  const title = `${counted(causes, 'root cause')} of ${counted(failing, 'failure')}; what to fix first comes first`;
  return [
    ...(groups.length > 1 ? ['', paint('bold', title)] : []),
    ...full.flatMap((group) => ['', ...groupBlock(run, weighing, group, lines, manner)]),
    ...rest(groups.slice(IN_FULL), manner),
  ];
}

/** A cause with its effect and one of its cases; a case that is alone speaks for itself. */
function groupBlock(run: Run, weighing: Weighing, group: CaseGroup, lines: number, manner: Manner): string[] {
  const { paint } = manner;
  const block = caseBlock(run, group.items[0]!, weighing, { ...manner, width: manner.width - 2, lines });
  if ((group.cause ? causeSize(group.cause) : group.items.length) === 1) return block;
  const hides = group.cause && endsCases(group.cause) ? ': they end there, and what they check later is unknown' : '';
  // The message of the example is below.
  const text = (group.cause && wrongValuesText(group.cause)) ?? group.text;
  return [
    `${paint(['red', 'bold'], '✗')} ${paint('bold', shortened(text, textRoom(manner, 2)))}`,
    ...wrapped(`  ${groupEffect(group)}${hides}; for example`, manner.width),
    ...block.map((line) => `  ${line}`),
  ];
}

function rest(groups: readonly CaseGroup[], manner: Manner): string[] {
  if (groups.length === 0) return [];
  const lines = groupLines(groups, LISTED, 'red', '✗', manner);
  return ['', ...lines.flatMap((line) => wrapped(line, manner.width))];
}

/**
 * Causes, one line each: the defect, its effect, a case to start with. The defect is cut to the width, the effect never is.
 * What is left out is counted.
 */
export function groupLines(
  groups: readonly CaseGroup[],
  limit: number,
  style: Style,
  mark: string,
  manner: Manner,
): string[] {
  const { paint } = manner;
  const lines = groups.slice(0, limit).map((group) => {
    const more = group.items.length + group.blocked > 1 ? ', e.g. ' : ': ';
    const effect = `(${groupEffect(group)}${more}${cleanLine(group.items[0]!.plan.id)})`;
    const text = shortened(group.text, textRoom(manner, effect.length + 3));
    return `${paint(style, mark)} ${text} ${paint('dim', effect)}`;
  });
  const others = groups.slice(limit);
  const cases = others.reduce((sum, { items }) => sum + items.length, 0);
  if (others.length > 0) {
    const first = shortened(others[0]!.text, 60);
    lines.push(paint('dim', `  and ${others.length} more causes with ${counted(cases, 'case')}: ${first}`));
  }
  return lines;
}

/** Columns for the text of a cause beside others; on a narrow terminal a line wraps before it says nothing. */
const textRoom = ({ width }: Manner, beside: number): number => Math.max(60, Math.min(TEXT, width - beside));
