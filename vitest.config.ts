import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['harness/**/*.test.ts', 'tools/**/*.test.ts', 'tests/**/*.test.ts'],
    // Real plugins map hundreds of megabytes and their compilers use every core: two files at a time, generous limits.
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 300_000,
  },
});
