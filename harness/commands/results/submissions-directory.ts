import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { UsageError } from '../../base/usage-error.ts';
import type { SubmissionFault } from './faults.ts';

/** The files of a submission. */
export const STATEMENT = 'statement.yaml';
export const BUNDLE = 'bundle.zip';
export const WAIVERS = 'waivers.yaml';
export const ATTESTATION = `${BUNDLE}.sigstore.json`;

/** Where a submission is. */
export interface SubmissionDirectory {
  path: string;
  vendor: string;
  product: string;
  version: string;
}

/** `vendor/product/version`. */
export const nameOf = ({ vendor, product, version }: SubmissionDirectory): string => `${vendor}/${product}/${version}`;

/**
 * Finds the submissions below a directory, VENDOR/PRODUCT/VERSION, or the one that it is itself. Files beside them and
 * names that begin with a dot are not looked at: a repository has others.
 * @throws UsageError if it is no directory, or has no submission
 */
export function submissionDirectories(directory: string, shown: string): SubmissionDirectory[] {
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`${shown}: there is no such directory`);
  const alone = [STATEMENT, BUNDLE].some((file) => existsSync(join(directory, file)));
  const found = alone ? [placeOf(resolve(directory))] : below(directory, 3).map(placeOf);
  if (found.length > 0) return found;
  throw new UsageError(
    `${shown}: there is no submission in it; expected VENDOR/PRODUCT/VERSION/ with ${STATEMENT} and ${BUNDLE}`,
  );
}

function below(directory: string, depth: number): string[] {
  if (depth === 0) return [directory];
  const directories = readdirSync(directory, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !entry.name.startsWith('.'),
  );
  return directories
    .map(({ name }) => name)
    .sort()
    .flatMap((name) => below(join(directory, name), depth - 1));
}

const placeOf = (path: string): SubmissionDirectory => ({
  path,
  version: basename(path),
  product: basename(dirname(path)),
  vendor: basename(dirname(dirname(path))),
});

/** What the directory lacks or has too much. */
export function layoutFaults({ path }: SubmissionDirectory): SubmissionFault[] {
  const entries = readdirSync(path).filter((name) => !name.startsWith('.'));
  const fault = (message: string): SubmissionFault => ({ kind: 'layout', message });
  return [
    ...[STATEMENT, BUNDLE].filter((name) => !entries.includes(name)).map((name) => fault(`there is no ${name}`)),
    ...entries
      .filter((name) => ![STATEMENT, BUNDLE, WAIVERS, ATTESTATION, 'README.md'].includes(name))
      .map((name) => fault(`${JSON.stringify(name)} does not belong here`)),
  ];
}
