import { join } from 'node:path';
import { counted } from '../../base/counted.ts';
import { display } from '../../base/display.ts';
import type { Reduced, ReduceOptions } from './reduce.ts';
import type { ReducedTrace, ReduceTraceOptions, TraceProgress } from './reduce-trace.ts';
import type { Progress } from './reduction.ts';

/** What `reduce` has found, for a terminal. */
export function formatReduced(
  { programs, failing, left, smallest, directory, tried }: Reduced,
  options: Pick<ReduceOptions, 'plugin' | 'oracle' | 'option' | 'numerics'>,
  cwd: string,
): string {
  const { plugin, oracle } = options;
  const lines = [`failing: ${failing.length} of ${counted(programs, 'program')} on ${plugin}, compared with ${oracle}`];
  for (const { program, message } of failing) lines.push(`  ${program}: ${firstLine(message)}`);
  if (left.length > 0) {
    lines.push('left out:');
    for (const { program, reason } of left) lines.push(`  ${program}: ${firstLine(reason)}`);
  }
  if (!smallest) {
    lines.push(failing.length === 0 ? 'nothing to reduce' : 'none could be reduced');
    return `${lines.join('\n')}\n`;
  }
  const { before, after } = smallest;
  const place = display(cwd, directory);
  const on = onPlugin(options);
  const name = smallest.file.replace(/\.mlir(bc)?$/, '');
  lines.push(
    `${smallest.program}, after ${tried} programs:`,
    `  operations   ${before.operations} → ${after.operations}: ${smallest.operations.map((op) => op.replace('stablehlo.', '')).join(', ')}`,
    `  parameters   ${before.parameters} → ${after.parameters}, elements ${before.elements} → ${after.elements}`,
    `  results      ${before.results} → ${after.results}`,
    `  fails        ${firstLine(smallest.message)}`,
    `written to ${join(place, smallest.file)}`,
    `run it: pjrt-conformance programs ${place} ${on}`,
    `as a C program: pjrt-conformance export programs:${name} --programs ${place} ${on}`,
  );
  return `${lines.join('\n')}\n`;
}

/** The same for a recording. */
export function formatReducedTrace(
  { sessions, failing, left, shortest, directory, tried }: ReducedTrace,
  options: Pick<ReduceTraceOptions, 'plugin' | 'option' | 'numerics'>,
  cwd: string,
): string {
  const lines = [`failing: ${failing.length} of ${counted(sessions, 'session')} on ${options.plugin}`];
  for (const { session, message } of failing) lines.push(`  ${session}: ${firstLine(message)}`);
  if (left.length > 0)
    lines.push('left out:', ...left.map(({ session, reason }) => `  ${session}: ${firstLine(reason)}`));
  if (!shortest) {
    lines.push(failing.length === 0 ? 'nothing to reduce' : 'none could be reduced');
    return `${lines.join('\n')}\n`;
  }
  const { session, name, before, after, functions, message, isWrongData } = shortest;
  const called = Object.entries(functions).map(
    ([one, times]) => one.replace('PJRT_', '') + (times > 1 ? ` (${times})` : ''),
  );
  const place = display(cwd, directory);
  lines.push(
    `${session}, after ${counted(tried, 'session')} played:`,
    `  calls        ${before.calls} → ${after.calls}: ${called.join(', ')}`,
    `  fails        ${firstLine(message)}`,
    `written to ${place}`,
    `play it: pjrt-conformance replay ${place} ${onPlugin(options)}`,
    `its calls with their arguments: pjrt-conformance trace calls ${place}`,
    ...(isWrongData
      ? [`its programs, for \`reduce\` down to operations: pjrt-conformance trace programs ${place} -o cases`]
      : []),
    `as a C program: pjrt-conformance export replay:${name} --trace ${place} ${onPlugin(options)}`,
  );
  return `${lines.join('\n')}\n`;
}

/** Options that name the plugin, and how exact it must be. */
function onPlugin({ plugin, option, numerics }: Pick<ReduceTraceOptions, 'plugin' | 'option' | 'numerics'>): string {
  const profile = numerics === undefined ? [] : ['--numerics', numerics];
  return ['--plugin', plugin, ...(option ?? []).flatMap((one) => ['--option', one]), ...profile].join(' ');
}

const firstLine = (text: string): string => text.split('\n')[0]!;

const PHASES: Readonly<Record<Progress['phase'], string>> = {
  programs: 'running the programs',
  operations: 'leaving out operations',
  sizes: 'making arrays smaller',
  data: 'making data plainer',
};

/** What is going on, on one line. */
export function formatProgress({ phase, operations, tried }: Progress): [title: string, amount: string] {
  const left = operations === undefined ? '' : `${counted(operations, 'operation')} left, `;
  return [PHASES[phase], `${left}${counted(tried, 'program')} tried`];
}

/** The same for a recording. */
export function formatTraceProgress({ calls, tried }: TraceProgress): [title: string, amount: string] {
  const played = `${counted(tried, 'session')} played`;
  return calls === undefined
    ? ['playing the sessions', played]
    : ['leaving out calls', `${counted(calls, 'call')} left, ${played}`];
}
