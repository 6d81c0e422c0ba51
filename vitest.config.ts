import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * What `npm test` runs from end to end, the longest first. Every other file below tests/ is run by `npm run test:rest` alone:
 * a new one belongs here only if it is short, or if nothing else here would notice what it notices.
 */
const ESSENTIAL = [
  'tests/xla-cpu',
  'tests/hostile',
  'tests/designs',
  'tests/mutation',
  'tests/html/html',
  'tests/package',
  'tools/hostile/selfcheck',
  'tests/cli',
  'tests/report',
  'tests/site',
];
/** Catalogues, of which `npm test` runs a sample and `npm run test:rest` all others (tests/support/part.ts). */
const IN_PARTS = ['tests/hostile', 'tests/designs', 'tools/hostile/selfcheck'];
/** Of the rest, what uses every core, or builds and fetches much: two files at a time. */
const HEAVY = [
  ...['reference', 'real-plugins', 'coexist', 'distributed', 'compat', 'wheel', 'archive', 'tutorial', 'designs'],
  ...['mutation-callers', 'mutation-designs', 'jax', 'callers'],
].map((name) => `tests/${name}`);
/** The rest from its longest file on, as far as they take more than a minute; the order decides who starts and who shares a part. */
const LONGEST = [
  ...['tests/reference', 'tests/examples', 'tests/real-plugins', 'tests/sanitizers', 'tests/fuzz', 'tests/hostile'],
  ...['tests/tutorial', 'tests/own-programs', 'tests/record', 'tests/export', 'tests/distributed', 'tests/compat'],
  ...['tests/customer', 'tests/replay', 'tests/record-sanitized', 'tests/coexist', 'tests/callers', 'tests/api'],
  ...['tests/scrambled', 'tests/channel', 'tests/explore', 'tests/hangs', 'tests/debugger', 'tests/one-crash'],
  ...['tests/expectations', 'tests/untrusted-text', 'tests/wheel', 'tools/fuzz/fuzz', 'tools/hostile/selfcheck'],
  ...['tests/results', 'tests/doctor', 'tests/slurm', 'tests/python-host', 'tests/dlpack', 'tests/evidence'],
  ...['tests/mutation-designs', 'tests/mutation-callers'],
];
/** Unit tests that take seconds. */
const SLOW_UNITS = ['harness/host/plugins/fetch-plugin', 'harness/commands/results/check'];

const test = (name: string): string => `${name}.test.ts`;

const UNITS = ['harness', 'tools', 'web', 'tests/support'].map((directory) => `${directory}/**/*.test.ts`);
const END_TO_END = [
  'tests/*.test.ts',
  'tests/html/*.test.ts',
  'tools/fuzz/fuzz.test.ts',
  'tools/hostile/selfcheck.test.ts',
];
/** Unit tests that need a process of their own: of native state, which belongs to the process, and with mocked modules. */
const ISOLATED = [
  'harness/worker/**/*',
  'harness/commands/inspect/declare',
  'harness/knowledge/programs/assemble',
  'harness/run/plugin/examine',
].map((name) => `${name}.test.ts`);

const ORDERS = new Map([
  ['essential', ESSENTIAL],
  ['rest', LONGEST],
  ['rest-heavy', LONGEST],
  ['unit', SLOW_UNITS],
]);

function rank({ moduleId, project }: TestSpecification): number {
  const order = ORDERS.get(project.name) ?? [];
  const place = order.findIndex((name) => moduleId.endsWith(`/${test(name)}`));
  return place >= 0 ? place : order.length;
}

/** Without durations of an earlier run, Vitest would sort by size, and cut parts (`--shard`) of unequal length. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }

  /** Deals the files like cards, the longest first and every other round backwards. */
  override async shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { index, count } = this.ctx.config.shard!;
    const sorted = files.toSorted((a, b) => rank(a) - rank(b) || (a.moduleId < b.moduleId ? -1 : 1));
    return sorted.filter((_, i) => {
      const [round, place] = [Math.floor(i / count), i % count];
      return (round % 2 === 0 ? place : count - 1 - place) === index - 1;
    });
  }
}

/**
 * The limits of end-to-end tests only end what hangs; nothing is timed here. Hooks compile plugins, of sixty sources and more, which takes
 * many minutes where nobody has done so before and much else runs; tests should leave that to them.
 */
const PATIENT = { testTimeout: 900_000, hookTimeout: 1_800_000 };

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    reporters: ['./tests/support/time-shares.ts', 'default', ...(process.env.GITHUB_ACTIONS ? ['github-actions'] : [])],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: UNITS,
          exclude: [...ISOLATED, ...END_TO_END],
          testTimeout: 30_000,
          hookTimeout: 30_000,
          // Modules and the suites of the package are loaded once a process, not once a file.
          isolate: false,
          maxWorkers: 3,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'unit-isolated',
          include: ISOLATED,
          testTimeout: 30_000,
          hookTimeout: 30_000,
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'essential',
          include: ESSENTIAL.map(test),
          env: { PJRT_TEST_PART: 'sample' },
          ...PATIENT,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: 'rest',
          include: END_TO_END,
          exclude: [...ESSENTIAL.filter((name) => !IN_PARTS.includes(name)), ...HEAVY].map(test),
          ...PATIENT,
          // More than cores: many wait for a deadline.
          maxWorkers: 3,
          sequence: { groupOrder: 3 },
        },
      },
      {
        extends: true,
        test: { name: 'rest-heavy', include: HEAVY.map(test), ...PATIENT, maxWorkers: 2, sequence: { groupOrder: 4 } },
      },
    ],
  },
});
