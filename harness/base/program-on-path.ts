import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Environment } from './environment.ts';

/** Path of a program, as a shell would find it; undefined if it is not installed. */
export const programOnPath = (name: string, { PATH = '' }: Environment): string | undefined =>
  PATH.split(delimiter)
    .filter(isAbsolute)
    .map((directory) => join(directory, name))
    .find(isProgram);

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
