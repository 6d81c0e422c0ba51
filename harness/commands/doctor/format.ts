import { cleanLine, cut } from '../../base/sanitize.ts';
import type { Diagnosis } from './diagnosis.ts';

const MARKS = { error: '✗', warning: '!', info: '·', ok: '✓' } as const;
const WIDTH = 160;

/** The diagnosis as text; the verdict is its last line. */
export function formatDiagnosis({ plugin, findings, verdict, exitCode }: Diagnosis): string {
  const lines = [`${plugin.name}${plugin.manifest ? ` (manifest ${plugin.manifest})` : ''}  ${plugin.path}`, ''];
  for (const { severity, what, evidence, next } of findings) {
    lines.push(`${MARKS[severity]} ${cut(cleanLine(what), WIDTH)}`);
    // What is in order needs no proof on the screen.
    if (severity === 'ok') continue;
    lines.push(...evidence.map((line) => `    ${cut(cleanLine(line), WIDTH)}`));
    if (next !== undefined) lines.push(`    next: ${cleanLine(next)}`);
  }
  lines.push('', `${plugin.name} ${cut(cleanLine(verdict), WIDTH)} (exit code ${exitCode})`);
  return `${lines.join('\n')}\n`;
}
