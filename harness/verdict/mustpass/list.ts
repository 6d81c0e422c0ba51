import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { packagePath } from '../../base/paths.ts';
import { UsageError } from '../../base/usage-error.ts';
import { type MustpassRelease, mustpassRelease, mustpassReleases } from './release.ts';

/** A case of a list. */
export interface ListedCase {
  id: string;
  /** First minor of the C API that has what the case uses; older plugins need not pass it. */
  since: number;
  /** Every plugin offers what it tests: `unsupported` is no way to pass it. */
  required: boolean;
  /** Digest of its definition. */
  definition: string;
}

/** The cases of one profile of a release. */
export interface MustpassList {
  release: MustpassRelease;
  profile: string;
  /** SHA-256 of the list's file. */
  sha256: string;
  /** Sorted by id. */
  cases: readonly ListedCase[];
}

/** Where the files of a release are. */
export const mustpassFile = (version: string, name: string): string => packagePath('mustpass', version, name);

export const TABLE = 'cases.tsv';

/**
 * Reads a list of this installation.
 * @throws UsageError for a version or profile without a list, and for files that are not the frozen ones
 */
export function mustpassList(version: string, profile = 'full', releases = mustpassReleases()): MustpassList {
  const release = mustpassRelease(version, releases);
  const published = Object.hasOwn(release.lists, profile) ? release.lists[profile] : undefined;
  if (!published) {
    const known = Object.keys(release.lists).join(', ');
    throw new UsageError(
      `--mustpass ${version} --profile ${profile}: there is no list for this profile, only ${known}`,
      {
        options: ['mustpass', 'profile'],
      },
    );
  }
  const text = frozenText(version, `${profile}.txt`, published.sha256);
  const table = parseTable(frozenText(version, TABLE, release.cases));
  const cases = parseIds(text).map((id) => table.get(id)!);
  return { release, profile, sha256: published.sha256, cases };
}

function frozenText(version: string, name: string, sha256: string): string {
  const text = readFileSync(mustpassFile(version, name), 'utf8');
  if (sha256Of(text) === sha256) return text;
  throw new UsageError(
    `mustpass/${version}/${name} is not the file that was frozen: its sha256 is ${sha256Of(text)}, mustpass/index.yaml says ${sha256}; install the package again`,
    { options: ['mustpass'] },
  );
}

export const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');

/** One id per line; lines that begin with # are comments. */
export const parseIds = (text: string): string[] =>
  text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

/** The facts about cases: id, first API minor, `required` or `-`, digest; separated by tabs. */
export function parseTable(text: string): Map<string, ListedCase> {
  const rows = parseIds(text).map((line) => line.split('\t'));
  return new Map(
    rows.map(([id, since, required, definition]) => [
      id!,
      { id: id!, since: Number(since), required: required === 'required', definition: definition! },
    ]),
  );
}

/** The reverse of {@link parseTable}. */
export const formatTable = (cases: readonly ListedCase[], header: string): string =>
  `${header}${cases.map(({ id, since, required, definition }) => `${id}\t${since}\t${required ? 'required' : '-'}\t${definition}\n`).join('')}`;
