import { join } from 'node:path';
import { counted } from '../../base/counted.ts';
import { display } from '../../base/display.ts';
import type { Reduced, ReduceOptions } from './reduce.ts';
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
  const on = ['--plugin', plugin, ...(options.option ?? []).flatMap((one) => ['--option', one])].join(' ');
  const profile = options.numerics === undefined ? '' : ` --numerics ${options.numerics}`;
  const name = smallest.file.replace(/\.mlir(bc)?$/, '');
  lines.push(
    `${smallest.program}, after ${tried} programs:`,
    `  operations   ${before.operations} → ${after.operations}: ${smallest.operations.map((op) => op.replace('stablehlo.', '')).join(', ')}`,
    `  parameters   ${before.parameters} → ${after.parameters}, elements ${before.elements} → ${after.elements}`,
    `  results      ${before.results} → ${after.results}`,
    `  fails        ${firstLine(smallest.message)}`,
    `written to ${join(place, smallest.file)}`,
    `run it: pjrt-conformance programs ${place} ${on}${profile}`,
    `as a C program: pjrt-conformance export programs:${name} --programs ${place} ${on}${profile}`,
  );
  return `${lines.join('\n')}\n`;
}

const firstLine = (text: string): string => text.split('\n')[0]!;

const PHASES: Readonly<Record<Progress['phase'], string>> = {
  programs: 'running the programs',
  operations: 'leaving out operations',
  sizes: 'making arrays smaller',
  data: 'making data plainer',
};

/** What is going on, on one line. */
export function formatProgress({ phase, operations, tried }: Progress): string {
  const left = operations === undefined ? '' : `, ${counted(operations, 'operation')} left`;
  return `${PHASES[phase]}${left}, ${counted(tried, 'program')} tried`;
}
