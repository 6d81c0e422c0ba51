import { ProgramError } from '../program.ts';
import type { FunctionType } from './types.ts';

/** A function of the module. */
export interface EntryCandidate {
  name: string;
  public: boolean;
  type: FunctionType;
}

/** The function that a plugin is asked to run: `main`, or the only public one. */
export function entryOf<T extends EntryCandidate>(functions: readonly T[], file: string): T {
  const main = functions.find(({ name }) => name === 'main');
  if (main !== undefined) return main;
  const candidates = functions.filter((candidate) => candidate.public);
  if (candidates.length === 1) return candidates[0]!;
  const found =
    functions.length === 0
      ? 'the module has no function'
      : candidates.length === 0
        ? 'the module has no public function'
        : `the module has the public functions ${candidates.map(({ name }) => `@${name}`).join(', ')}`;
  throw new ProgramError(`${file}: expected a function @main, or one public function; ${found}`);
}
