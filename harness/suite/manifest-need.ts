import type { Requires } from './types.ts';

/** What cases may require of a plugin's manifest. */
export interface Manifested {
  knownOptions?: Readonly<Record<string, unknown>>;
}

/** Why a plugin's manifest does not say what a case requires of it; undefined if it does. It is known before anything is called. */
export function manifestNeed({ manifest = [], options = [] }: Requires, said: Manifested): string | undefined {
  const key = manifest.find((one) => (said as Readonly<Record<string, unknown>>)[one] === undefined);
  if (key !== undefined) return `the plugin's manifest has no \`${key}\``;
  const option = options.find((one) => said.knownOptions?.[one] === undefined);
  return option === undefined ? undefined : `the plugin's manifest knows no option ${option}`;
}
