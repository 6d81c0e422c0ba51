import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests that use every core, or build and fetch much: after the others, two files at a time; the longest first. */
const HEAVY = [
  'reference',
  'real-plugins',
  'coexist',
  'distributed',
  'compat',
  'wheel',
  'tutorial',
  'package',
  'designs',
  'mutation-callers',
  'mutation-designs',
  'mutation',
  'jax',
].map((name) => `tests/${name}.test.ts`);
/** Of the others, those that would keep one core waiting if they were the last; the longest first. */
const LONG = [
  'examples',
  'hostile',
  'fuzz',
  'own-programs',
  'cli',
  'api',
  'expectations',
  'report',
  'scrambled',
  'doctor',
  'dlpack',
  'results',
  'config',
  'hangs',
  'html/html',
].map((name) => `tests/${name}.test.ts`);
const ALL = ['harness/**/*.test.ts', 'tools/**/*.test.ts', 'tests/**/*.test.ts', 'web/**/*.test.ts'];

/** Without durations of an earlier run, Vitest would sort by size. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const isThis = (file: string): boolean => moduleId.endsWith(`/${file}`);
      const [long, heavy] = [LONG.findIndex(isThis), HEAVY.findIndex(isThis)];
      if (heavy >= 0) return LONG.length + 1 + heavy;
      return long >= 0 ? long : LONG.length;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    // The limits only end what hangs; nothing is timed here.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    sequence: { sequencer: LongestFirst },
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
