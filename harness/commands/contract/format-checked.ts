import { counted } from '../../base/counted.ts';
import type { CheckedProcess } from './check-trace.ts';
import type { Mistake } from './mistake.ts';

/** What `trace check` prints. */
export function formatChecked(processes: readonly CheckedProcess[]): string {
  return processes.map(formatProcess).join('\n');
}

function formatProcess({ process, plugins, calls, mistakes, more, ofPlugin, whole }: CheckedProcess): string {
  const lines = [
    `${process}: ${counted(calls, 'call')} of ${plugins.join(', ') || 'no plugin'}: ${found(mistakes)} of the caller, ${found(ofPlugin.mistakes)} of the plugin`,
    ...side({ mistakes, more }),
    ...(ofPlugin.mistakes.length > 0 ? ['The plugin:', ...side(ofPlugin)] : []),
  ];
  if (!whole) lines.push('The recording does not go to the end of the process: what was never destroyed is not known.');
  return lines.map((line) => `${line}\n`).join('');
}

const found = ({ length }: readonly Mistake[]): string => (length === 0 ? 'no mistake' : counted(length, 'mistake'));

const side = ({
  mistakes,
  more,
}: {
  mistakes: readonly Mistake[];
  more: Readonly<Record<string, number>>;
}): string[] => [
  ...mistakes.flatMap(formatMistake),
  ...Object.entries(more).map(([rule, sites]) => `- ${counted(sites, 'further call site')} with ${rule}`),
];

function formatMistake({ message, call, requirement, history, times }: Mistake): string[] {
  const where = call
    ? ` (record ${call.entered}, thread ${call.thread}${call.location ? `, ${call.location}` : ''})`
    : '';
  const often = times > 1 ? `, ${times} times` : '';
  return [`- ${message}${where}${often} [${requirement}]`, ...history.map((one) => `    ${one}`)];
}
