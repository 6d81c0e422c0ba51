/** What an earlier run left where a run writes. */
import { lstatSync, rmSync } from 'node:fs';
import { display } from '../display.ts';
import type { CommandEnvironment } from '../environment.ts';
import { setAside } from '../report/index.ts';
import { TOOL } from '../tool.ts';
import type { RunOptions } from './run-options.ts';

/** Keeps the log of an unfinished run under another name, and says so. */
export function setAsidePreviousLog(path: string, { quiet }: RunOptions, { cwd, stderr }: CommandEnvironment): void {
  const aside = setAside(path);
  if (!aside || quiet) return;
  const kept = display(cwd, aside.path);
  stderr.write(
    `note: ${display(cwd, path)} was the log of an unfinished run with ${aside.results} results; it is kept as ${kept}\n` +
      `      to resume that run: ${TOOL.name} run --resume ${kept}\n`,
  );
}

/** Removes a report. */
export function removeStale(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile()) rmSync(path, { force: true });
}
