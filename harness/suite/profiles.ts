import type { Case } from './types.ts';

/** A named selection of cases and whether clients are created for it. */
export interface Profile {
  description: string;
  /** False: no client is ever created, and no device is needed. */
  clients: boolean;
  includes(testCase: Case): boolean;
}

/** Profiles by name; `full` is the default. */
export const PROFILES: Readonly<Record<string, Profile>> = {
  full: { description: 'everything', clients: true, includes: () => true },
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
