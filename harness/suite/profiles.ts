import { isApart, standardCases } from './standard.ts';
import type { Case } from './types.ts';

/** A named selection of cases and whether clients are created for it. */
export interface Profile {
  description: string;
  /** If false, no client is ever created, and no device is needed. */
  clients: boolean;
  includes(testCase: Case): boolean;
  /** For a selection that considers all cases of the package at once; user suites are always included. */
  choose?(all: readonly Case[]): ReadonlySet<string>;
}

/** Profiles by name; `full` is the default. */
export const PROFILES: Readonly<Record<string, Profile>> = {
  full: {
    description: 'all cases, except those of the profiles models, forms and sessions',
    clients: true,
    includes: (testCase) => !isApart(testCase),
  },
  standard: {
    description:
      'about 2,100 cases with 81 compilations, for plugins that compile slowly: every MUST, and every value that distinguishes rows of a matrix where it takes no further compilation',
    clients: true,
    includes: (testCase) => !isApart(testCase),
    choose: standardCases,
  },
  models: {
    description: 'programs of the size at which models run: training steps, attention, decoding, large products',
    clients: true,
    includes: ({ tags }) => tags.includes('models'),
  },
  forms: {
    description:
      'operations in further forms: every pair of values of their attributes, about 4,000 programs of one operation',
    clients: true,
    includes: ({ tags }) => tags.includes('forms'),
  },
  sessions: {
    description: 'what releases of JAX did with a plugin in small scripts, as they were recorded',
    clients: true,
    includes: ({ tags }) => tags.includes('sessions'),
  },
  smoke: {
    description: 'about 180 basic cases, to see whether the plugin works at all',
    clients: true,
    includes: (testCase) => testCase.tags.includes('smoke'),
  },
  'no-device': {
    description: 'cases that need no client: load, version, attributes, extensions, compile-only topology',
    clients: false,
    includes: (testCase) => testCase.client === 'none',
  },
};
