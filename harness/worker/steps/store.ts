import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeDirectory } from '../../base/make-directory.ts';
import { writeNpy } from '../../knowledge/arrays/npy.ts';
import type { StepBody } from '../../suite/types.ts';
import type { CaseContext } from './context.ts';

/** `store`: an array becomes a file, for another process. Not part of the language: the harness adds it to cases itself. */
export function store(context: CaseContext, { array, file }: Extract<StepBody, { verb: 'store' }>): void {
  makeDirectory(dirname(file));
  writeFileSync(file, writeNpy(context.data(array)));
}
