/** An exploration as text. */
import { counted } from '../../base/counted.ts';
import { display } from '../../base/display.ts';
import type { Exploration } from './campaign.ts';
import { Coverage } from './coverage.ts';
import { formOf } from './session.ts';
import type { Avoided, Finding } from './state.ts';

/** Entries that are printed of a list. */
const MOST = 6;

const WHY: Readonly<Record<Avoided['why'], string>> = {
  refused: 'not offered by the plugin',
  waits: 'not played while something is withheld, because the call waits for it',
  found: 'not played any more, because it fails',
};

/** What was played, what was found, and how to resume. */
export function formatExploration({ state, ending, reason, report }: Exploration, cwd: string): string {
  const { plugin, seed, shard, devices, next, moves, findings, avoided } = state;
  const part = shard === '1/1' ? '' : `, shard ${shard}`;
  const { moves: forms, pairs } = new Coverage(state.coverage).size;
  const found = findings.reduce((n, { count }) => n + count, 0);
  const lines = [
    `${plugin.name}: seed ${seed}${part}, ${counted(devices, 'device')}`,
    `${counted(next, 'session')} of ${counted(moves, 'move')}: ${forms} moves in different states, ${pairs} pairs of them`,
    `${counted(findings.length, 'finding')} in ${counted(found, 'session')}`,
  ];
  for (const why of Object.keys(WHY) as Avoided['why'][]) {
    const some = avoided.filter((one) => one.why === why);
    if (some.length === 0) continue;
    lines.push(`${WHY[why]}: ${some.length}`);
    for (const one of some.slice(0, MOST)) lines.push(`  ${one.what}: ${one.reason}`);
    if (some.length > MOST) lines.push(`  and ${some.length - MOST} more`);
  }
  for (const finding of findings) lines.push('', ...findingLines(finding, cwd));
  lines.push('');
  if (reason !== undefined) lines.push(`stopped: ${reason}`);
  if (ending === 'interrupted') lines.push(`interrupted after ${counted(next, 'session')}; --resume continues`);
  lines.push(`state  ${display(cwd, report)}`);
  return `${lines.join('\n')}\n`;
}

const findingLines = (
  { id, message, level, requirements, actions, suite, count, known }: Finding,
  cwd: string,
): string[] => [
  `${id}  in ${counted(count, 'session')}: ${message}`,
  ...(requirements.length > 0 ? [`  violates ${requirements.join(', ')} (${level.toUpperCase()})`] : []),
  ...(known === undefined ? [] : [`  a known deviation: ${known}`]),
  `  after ${actions.map(formOf).join(' → ')}`,
  `  ${display(cwd, suite)}`,
];
