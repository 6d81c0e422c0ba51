import { standardCases } from './standard.ts';
import type { Case } from './types.ts';

/** A named selection of cases and whether clients are created for it. */
export interface Profile {
  description: string;
  /** False: no client is ever created, and no device is needed. */
  clients: boolean;
  includes(testCase: Case): boolean;
  /** For a selection that looks at all cases of the package at once: which of them; others are the user's own, and in. */
  choose?(all: readonly Case[]): ReadonlySet<string>;
}

/** Profiles by name; `full` is the default. */
export const PROFILES: Readonly<Record<string, Profile>> = {
  full: { description: 'everything', clients: true, includes: () => true },
  standard: {
    description:
      'what says most in the least time: every MUST, and of matrices one case for each kind of elements, for plugins that need long to compile',
    clients: true,
    includes: () => true,
    choose: standardCases,
  },
  smoke: {
    description: 'one case an area: does the plugin work at all?',
    clients: true,
    includes: (testCase) => testCase.tags.includes('smoke'),
  },
  'no-device': {
    description: 'what needs no client: load, version, attributes, extensions, compile-only topology',
    clients: false,
    includes: (testCase) => testCase.client === 'none',
  },
};
