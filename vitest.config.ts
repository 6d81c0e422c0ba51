import { defineConfig } from 'vitest/config';

/** Tests that use every core, or build and fetch much: after the others, two files at a time. */
const HEAVY = [
  'real-plugins',
  'reference',
  'coexist',
  'compat',
  'jax',
  'mutation',
  'mutation-callers',
  'mutation-designs',
  'designs',
  'distributed',
  'package',
  'wheel',
  'tutorial',
].map((name) => `tests/${name}.test.ts`);
const ALL = ['harness/**/*.test.ts', 'tools/**/*.test.ts', 'tests/**/*.test.ts', 'web/**/*.test.ts'];

export default defineConfig({
  test: {
    // The limits only end what hangs; nothing is timed here.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    projects: [
      {
        extends: true,
        // More than cores: many wait for a deadline.
        test: { name: 'light', include: ALL, exclude: HEAVY, maxWorkers: 3, sequence: { groupOrder: 0 } },
      },
      { extends: true, test: { name: 'heavy', include: HEAVY, maxWorkers: 2, sequence: { groupOrder: 1 } } },
    ],
  },
});
