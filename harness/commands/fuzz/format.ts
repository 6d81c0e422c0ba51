/** A campaign as text. */
import { counted } from '../../base/counted.ts';
import { display } from '../../base/display.ts';
import { type Campaign, type Finding, judged } from './campaign.ts';

/** Reasons of refusal that are printed. */
const REASONS = 5;
/** Lines of a message that are printed. */
const LINES = 6;

/** What was run, what was found, and how to resume. */
export function formatCampaign({ state, ending, reason, report }: Campaign, cwd: string): string {
  const { plugin, oracle, seed, shard, profile, findings, refused } = state;
  const part = shard === '1/1' ? '' : `, shard ${shard}`;
  const lines = [
    `${plugin.name} against ${oracle.name}: seed ${seed}${part}, profile ${profile}`,
    `${judged(state)} programs compared, ${findings.length} findings in ${findings.reduce((n, f) => n + f.count, 0)} programs`,
  ];
  const reasons = Object.entries(refused).sort((a, b) => b[1] - a[1]);
  if (reasons.length > 0) {
    lines.push(`${reasons.reduce((n, [, times]) => n + times, 0)} not compared:`);
    for (const [why, times] of reasons.slice(0, REASONS)) lines.push(`  ${times}  ${why}`);
    if (reasons.length > REASONS) lines.push(`  and ${reasons.length - REASONS} more reasons`);
  }
  for (const finding of findings) lines.push('', ...findingLines(finding, cwd));
  lines.push('');
  if (reason !== undefined) lines.push(`stopped: ${reason}`);
  if (ending === 'interrupted') lines.push(`interrupted after ${state.next} programs; --resume continues`);
  lines.push(`state  ${display(cwd, report)}`);
  return `${lines.join('\n')}\n`;
}

const WHAT: Readonly<Record<Finding['what'], string>> = {
  difference: 'results differ',
  bound: 'results that no valid plugin returns',
  failure: 'the plugin fails',
};

function findingLines({ id, what, signature, message, ops, dtypes, suite, count }: Finding, cwd: string): string[] {
  return [
    `${id}  ${WHAT[what]} in ${counted(count, 'program')}: ${ops.join(', ') || 'no operation'} (${dtypes.join(', ')})`,
    ...(what === 'failure' ? [`  ${signature}`] : []),
    ...message
      .split('\n')
      .slice(0, LINES)
      .map((line) => `  ${line}`),
    `  ${display(cwd, suite)}`,
  ];
}
