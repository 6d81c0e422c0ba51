import { INDEXING } from './indexing.ts';
import type { Space } from './space.ts';

/** The attribute space of every operation that has one, by its name in StableHLO. */
export const SPACES: Readonly<Record<string, Space>> = { ...INDEXING };
