import type { WrittenPrograms } from './programs.ts';

/** What `trace programs` has written, for a terminal. @param output the directory as it was given */
export function formatPrograms({ executions, programs, left }: WrittenPrograms, output: string): string {
  const uncompared = programs.filter(({ outputs }) => outputs === 0).length;
  const lines = [
    `${programs.length} of ${executions} executions written to ${output}`,
    ...programs.map(
      ({ name, execution, devices, inputs, outputs }) =>
        `  ${name}: execution ${execution}${devices > 1 ? ` on ${devices} devices` : ''}, ${inputs} inputs, ${outputs} results`,
    ),
  ];
  if (uncompared > 0)
    lines.push(`${uncompared} have no results to compare with: --oracle PLUGIN says what is expected`);
  if (left.length > 0) {
    lines.push('not written:');
    for (const { reason, executions: count, first } of left) lines.push(`  ${count} (first: ${first}): ${reason}`);
  }
  if (programs.length > 0) lines.push(`run them: pjrt-conformance programs ${output} --plugin PLUGIN`);
  return `${lines.join('\n')}\n`;
}
