const compiled = new Map<string, RegExp>();

/**
 * Whether a case id (`suite/path:name[k=v,…]`) matches a glob. `*` stands for any text, also with slashes, and `?` for one
 * character. Everything else is literal: ids are full of brackets and commas, which shell-like globs would give a meaning.
 * A glob without brackets also means all combinations of a case.
 */
export function matchesCase(glob: string, caseId: string): boolean {
  let pattern = compiled.get(glob);
  if (!pattern) {
    const source = glob
      .replace(/[\\^$.|+()[\]{}]/g, '\\$&')
      .replace(/\*+/g, '.*')
      .replaceAll('?', '.');
    pattern = new RegExp(`^${source}$`, 'su');
    compiled.set(glob, pattern);
  }
  const bracket = caseId.indexOf('[');
  return pattern.test(caseId) || (bracket > 0 && pattern.test(caseId.slice(0, bracket)));
}
