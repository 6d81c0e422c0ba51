const compiled = new Map<string, (text: string) => boolean>();

/** Whether a text matches a glob: `*` matches any text, including slashes, `?` one character, everything else itself. */
export const matchesGlob = (glob: string, text: string): boolean => globMatcher(glob)(text);

function globMatcher(glob: string): (text: string) => boolean {
  let matches = compiled.get(glob);
  if (!matches) {
    matches = matcherOf(glob);
    compiled.set(glob, matches);
  }
  return matches;
}

/** Most globs are ids, of which thousands are compared. */
function matcherOf(glob: string): (text: string) => boolean {
  if (!/[*?]/.test(glob)) return (text) => text === glob;
  const pattern = new RegExp(sourceOf(glob), 'su');
  return (text) => pattern.test(text);
}

/**
 * The first match of the text between two stars is always sufficient. The lookahead makes it atomic; with backtracking, a few
 * stars would take forever.
 */
function sourceOf(glob: string): string {
  const [first = '', ...others] = glob
    .split(/\*+/)
    .map((part) => part.replace(/[\\^$.|+()[\]{}]/g, '\\$&').replaceAll('?', '.'));
  const last = others.pop();
  const between = others.map((part, at) => `(?=(.*?${part}))\\${at + 1}`).join('');
  return `^${first}${last === undefined ? '' : `${between}.*${last}`}$`;
}

/**
 * Whether a case id (`suite/path:name[k=v,…]`) matches a glob. Brackets and commas are literal: ids contain many, and shell
 * globs would interpret them. A glob without brackets also matches all combinations of a case.
 */
export const matchesCase = (glob: string, caseId: string): boolean => caseMatcher(glob)(caseId);

/** {@link matchesCase} for many ids. */
export function caseMatcher(glob: string): (caseId: string) => boolean {
  const matches = globMatcher(glob);
  return (caseId) => {
    if (matches(caseId)) return true;
    const bracket = caseId.indexOf('[');
    return bracket > 0 && matches(caseId.slice(0, bracket));
  };
}
