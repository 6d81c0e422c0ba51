import { readFileSync } from 'node:fs';
import { didYouMean } from '../../base/did-you-mean.ts';
import { packagePath } from '../../base/paths.ts';
import { UsageError } from '../../base/usage-error.ts';
import { checkedDocument } from '../../suite/checked-document.ts';

/** A frozen set of cases that a conformant plugin passes (mustpass/index.yaml, schemas/mustpass.schema.json). */
export interface MustpassRelease {
  /** `1.0` */
  version: string;
  /** Day on which it was frozen, YYYY-MM-DD. */
  frozen: string;
  /** Last day on which a submitted run may begin; absent while no newer list is there. */
  acceptedUntil?: string;
  /** Versions of the tool whose programs, oracles and probes are those of the list. */
  tools: string[];
  /** SHA-256 of cases.tsv. */
  cases: string;
  /** By profile: number of cases and SHA-256 of the list's file. */
  lists: Record<string, { cases: number; sha256: string }>;
  /** The definitions of the cases that are accepted, by version of the suites, oldest first. */
  definitions: {
    suites: string;
    /** Of a patch: what it corrects. */
    why?: string;
    /** By profile: digest of the definitions. */
    sha256: Record<string, string>;
  }[];
  /** Cases that have another id in the suites of today. */
  renames?: Record<string, string>;
}

export const MUSTPASS_INDEX = packagePath('mustpass', 'index.yaml');

let releases: MustpassRelease[] | undefined;

/** All lists that were ever frozen, oldest first. */
export const mustpassReleases = (): readonly MustpassRelease[] =>
  (releases ??= parseMustpassIndex(readFileSync(MUSTPASS_INDEX, 'utf8'), 'mustpass/index.yaml'));

/** Reads the text of mustpass/index.yaml. @throws SuiteError */
function parseMustpassIndex(text: string, file: string): MustpassRelease[] {
  const document = checkedDocument(text, file, 'mustpass.schema.json');
  return (document.value as { releases: MustpassRelease[] }).releases;
}

/** The list of a version. @throws UsageError */
export function mustpassRelease(version: string, all = mustpassReleases()): MustpassRelease {
  const found = all.find((release) => release.version === version);
  if (found) return found;
  const known = all.map((release) => release.version);
  const help = didYouMean(version, known);
  throw new UsageError(
    `--mustpass ${version}: there is no such list; there are ${known.join(', ')}${help ? `; ${help}` : ''}`,
    { options: ['mustpass'] },
  );
}
