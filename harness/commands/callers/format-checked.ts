import { counted } from '../../base/counted.ts';
import type { CheckedProcess } from './check-trace.ts';
import type { Mistake } from './mistake.ts';

/** What `trace check` prints. */
export function formatChecked(processes: readonly CheckedProcess[]): string {
  return processes.map(formatProcess).join('\n');
}

function formatProcess({ process, plugins, calls, mistakes, more, whole }: CheckedProcess): string {
  const found = mistakes.length === 0 ? 'no mistake' : counted(mistakes.length, 'mistake');
  const lines = [
    `${process}: ${counted(calls, 'call')} of ${plugins.join(', ') || 'no plugin'}: ${found} of the caller`,
  ];
  for (const mistake of mistakes) lines.push(...formatMistake(mistake));
  for (const [rule, sites] of Object.entries(more)) lines.push(`- ${counted(sites, 'further call site')} with ${rule}`);
  if (!whole) lines.push('The recording does not go to the end of the process: what was never destroyed is not known.');
  return lines.map((line) => `${line}\n`).join('');
}

function formatMistake({ message, call, requirement, history, times }: Mistake): string[] {
  const where = call
    ? ` (record ${call.entered}, thread ${call.thread}${call.location ? `, ${call.location}` : ''})`
    : '';
  const often = times > 1 ? `, ${times} times` : '';
  return [`- ${message}${where}${often} [${requirement}]`, ...history.map((one) => `    ${one}`)];
}
