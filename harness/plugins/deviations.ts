import picomatch from 'picomatch';
import type { Deviation, Manifest } from './types.ts';

/** Stands for a slash after the colon, so that `*` spans parameter values that hold one. */
const VALUE_SLASH = '\u001f';

const foldId = (id: string): string => {
  const colon = id.indexOf(':');
  return colon < 0 ? id : id.slice(0, colon) + id.slice(colon).replaceAll('/', VALUE_SLASH);
};

/** Only `*`, `**`, `?` and `{a,b}` are special: case ids are full of the other characters that globs use. */
const escapeGlob = (glob: string): string => glob.replace(/[[\]()!+@|^$\\]/g, '\\$&');

const compiled = new Map<string, (id: string) => boolean>();

const matcherOf = (glob: string): ((id: string) => boolean) => {
  let matcher = compiled.get(glob);
  if (matcher === undefined) {
    matcher = picomatch(escapeGlob(foldId(glob)), { dot: true, nonegate: true, noextglob: true });
    compiled.set(glob, matcher);
  }
  return matcher;
};

/**
 * Whether a case id (`suite/path:name[k=v,…]`) matches a glob. Brackets are plain characters; `*` stays inside one
 * segment of the suite path, and after the colon spans everything.
 */
export const matchesCase = (glob: string, caseId: string): boolean => matcherOf(glob)(foldId(caseId));

/** The first deviation of the plugin that explains a failure of this case. */
export const deviationFor = (
  manifest: Pick<Manifest, 'deviations'> | undefined,
  caseId: string,
): Deviation | undefined => manifest?.deviations.find(({ cases }) => matchesCase(cases, caseId));

/** Deviations that fit no case at all: a suite was renamed, or the glob is wrong. */
export const idleDeviations = (
  manifest: Pick<Manifest, 'deviations'> | undefined,
  caseIds: readonly string[],
): Deviation[] =>
  (manifest?.deviations ?? []).filter(({ cases }) => !caseIds.some((caseId) => matchesCase(cases, caseId)));
