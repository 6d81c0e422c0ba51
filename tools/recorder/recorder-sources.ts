import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../harness/base/paths.ts';
import { writeGeneratedSources } from '../reference/generated-sources.ts';
import { recorderLayouts } from './layouts.ts';

/** Where what the generator writes is: not in git. */
export const RECORDER_GENERATED = packagePath('plugins', 'recorder', 'generated');

/** Writes layouts.inc if it is missing or stale, and the headers that the recorder shares with the reference plugin. */
export function writeRecorderSources(): void {
  writeGeneratedSources();
  mkdirSync(RECORDER_GENERATED, { recursive: true });
  const [file, text] = [join(RECORDER_GENERATED, 'layouts.inc'), recorderLayouts()];
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
}
