import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['harness/**/*.test.ts', 'tools/**/*.test.ts', 'tests/**/*.test.ts'],
    // One file at a time: real plugins use every core, and two heavy tests at once would make deadlines a matter of luck.
    // The limits only end what hangs; nothing is timed here.
    fileParallelism: false,
    testTimeout: 900_000,
    hookTimeout: 900_000,
  },
});
