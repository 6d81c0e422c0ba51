import { createHash } from 'node:crypto';
import type { Case } from '../../suite/types.ts';

/**
 * Digest of what a case asks of a plugin: its steps, parameters, preconditions and levels. Titles, comments, tags, lines and
 * deadlines may change without making it another case. Programs and oracles that steps name are those of the tool's version.
 */
export function definitionOf({ params, level, levels, demands, requires, client, steps }: Case): string {
  const asked = { params, level, levels, demands, requires, client, steps };
  return createHash('sha256').update(canonical(asked)).digest('hex').slice(0, 16);
}

/** JSON with sorted members, without the lines of steps. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(
          Object.entries(inner)
            .filter(([name]) => !(name === 'line' && 'verb' in inner))
            .sort(([a], [b]) => (a < b ? -1 : 1)),
        )
      : inner,
  );

/** Digest of the definitions of a list. @param definitions by id */
export function definitionsDigest(definitions: ReadonlyMap<string, string>): string {
  const lines = [...definitions].map(([id, definition]) => `${id} ${definition}\n`).sort();
  return createHash('sha256').update(lines.join('')).digest('hex');
}

/**
 * The definitions of listed cases in suites, by the id in the list.
 * @param renames ids of today by those of the list
 * @returns without the cases that the suites lack
 */
export function definitionsIn(
  cases: readonly Case[],
  ids: readonly string[],
  renames: Readonly<Record<string, string>> = {},
): Map<string, string> {
  const byId = new Map(cases.map((testCase) => [testCase.id, testCase]));
  return new Map(
    ids.flatMap((id) => {
      const found = byId.get(renames[id] ?? id);
      return found ? [[id, definitionOf(found)] as const] : [];
    }),
  );
}
