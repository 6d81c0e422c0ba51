const compiled = new Map<string, RegExp>();

/** Whether a text matches a glob: `*` stands for any text, also with slashes, `?` for one character, all else for itself. */
export function matchesGlob(glob: string, text: string): boolean {
  let pattern = compiled.get(glob);
  if (!pattern) {
    pattern = new RegExp(sourceOf(glob), 'su');
    compiled.set(glob, pattern);
  }
  return pattern.test(text);
}

/**
 * What stands between two stars may as well be the first that fits. A look ahead holds on to it: tried in all places, a few
 * stars would take longer than anybody waits.
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
 * Whether a case id (`suite/path:name[k=v,…]`) matches a glob. Brackets and commas are literal: ids are full of them, and
 * shell-like globs would give them a meaning. A glob without brackets also means all combinations of a case.
 */
export function matchesCase(glob: string, caseId: string): boolean {
  const bracket = caseId.indexOf('[');
  return matchesGlob(glob, caseId) || (bracket > 0 && matchesGlob(glob, caseId.slice(0, bracket)));
}
