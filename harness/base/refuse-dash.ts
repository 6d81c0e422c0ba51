import { UsageError } from './usage-error.ts';

/**
 * Standard output has what a command prints, so `-` cannot stand for it where a file is expected.
 * @param value of the option, in which `path` names the file
 * @throws UsageError
 */
export function refuseDash(option: string, value: string, path: string = value): void {
  if (path !== '-') return;
  throw new UsageError(
    `--${option} ${value}: standard output has what the command prints; give the name of a file (./- is a file of this name)`,
    { options: [option] },
  );
}
