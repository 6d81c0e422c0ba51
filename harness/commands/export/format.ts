import { counted } from '../../base/counted.ts';
import { display } from '../../base/display.ts';
import type { Exported } from './export-case.ts';

/** What `export` prints. */
export function formatExported(exported: Exported, cwd: string): string {
  const { status, message, files, directory, beyond, calls } = exported;
  const ended = `${exported.case}: ${status}${message === undefined ? '' : `: ${message}`}\n`;
  if (files.length === 0) {
    return `${ended}This case can't be written as a C program:\n${beyond.map((reason) => `- ${reason}\n`).join('')}`;
  }
  const at = display(cwd, directory);
  return `${ended}${at}: ${counted(calls, 'call')} in repro.c (${files.filter((file) => file !== 'repro.c').join(', ')})\n  make -C ${at} run\n`;
}
