import { describe, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import type { Run } from '../harness/model/run.ts';
import { loadDesign } from '../tools/designs/design.ts';
import { outcomeOf } from '../tools/designs/outcome.ts';
import { libraryOf, manifestOf } from '../tools/designs/plugin.ts';
import { runOn } from '../tools/designs/run.ts';
import { resolveHere } from '../tools/resolve-here.ts';
import { partOf } from './support/part.ts';

/** Part of `npm run check:designs`: a few designs at once, and cases of all areas. The sample needs no wrapper to be built. */
const SUITES = ['plugin', 'client', 'devices', 'errors', 'events', 'donation'];

async function on(name: string | undefined, more: readonly string[]): Promise<Run> {
  const base = { name: 'reference' as const, plugin: await resolveHere('reference') };
  const design = name === undefined ? undefined : loadDesign(name);
  const manifest = manifestOf(design, base, await libraryOf(design, base));
  return runOn({ command: packagePath('dist', 'cli', 'main.js'), manifest, more });
}

const statusesOf = (run: Run): Record<string, string> =>
  Object.fromEntries([...run.cases].map(([id, { result }]) => [id, result?.status ?? 'notrun']));

describe('a valid plugin of another design', () => {
  const suites = SUITES.flatMap((suite) => ['--suite', suite]);

  const DESIGNS = [
    ...['few-dtypes+no-sort+artifacts-only', 'one-device+no-pointers+no-extensions', 'no-memories+tt-xla-stubs'],
    ...['tpu-like', 'proxy-like'],
  ];
  test.each(partOf(DESIGNS, ['tpu-like', 'proxy-like']))('violates nothing: %s', async (name) => {
    // The plain base violates nothing either (tests/reference.test.ts).
    const design = await on(name, suites);
    const { violated, notes } = outcomeOf(design);
    expect(violated).toEqual([]);
    expect(notes).toEqual([]);
    expect(design.counts.pass).toBeGreaterThan(100);
  });
});

describe('a design', () => {
  /** Habits of frameworks that the header does not ask for: they are warned of, and no more. */
  const WARNED: Record<string, string> = {
    'junk-on-error': 'client/lookup:unknown-id[id=-1]',
    'memory-ids-by-kind': 'memories/queries:ids',
    'nameless-executables': 'executables/queries:name',
    'stale-on-error': 'client/lookup:unknown-id[id=-1]',
  };
  test.each(partOf(Object.keys(WARNED), []))('that frameworks do not expect gets a warning: %s', async (name) => {
    const id = WARNED[name]!;
    expect(statusesOf(await on(name, ['--tests', id]))).toEqual({ [id]: 'warn' });
  });

  test.each(partOf(['waiting-execute'], []))(
    'whose calls wait does not keep waiting who ends that: %s',
    async (name) => {
      const { counts } = await on(name, ['--tests', 'asynchrony/exchanged:operations[of=execution*']);
      expect(counts).toMatchObject({ pass: 4, timeout: 0 });
    },
  );

  test.each(partOf(['falling-ids'], []))(
    'whose greatest id is the greatest number has no unknown one: %s',
    async (name) => {
      const id = 'client/lookup:next-to-last-id';
      expect(statusesOf(await on(name, ['--tests', id]))).toEqual({ [id]: 'unsupported' });
      expect(statusesOf(await on(undefined, ['--tests', id]))).toEqual({ [id]: 'pass' });
    },
  );

  /** Cases that pass on the plain base, and whose result proves that the design has an effect. */
  const EFFECTS: Record<string, string> = {
    'no-sort': 'numerics/movement:sort[program=sort_f32*',
    'few-dtypes': 'buffers/metadata:element-type-number[dtype=c64*',
    'no-memories': 'memories/*',
    'no-managers': 'async-transfer/manager:queries',
    'falling-ids': 'client/lookup:unknown-id[id=2147483647*',
    'two-hosts': 'devices/lists:addressable-all',
  };
  test.each(partOf(Object.keys(EFFECTS), ['two-hosts']))('differs from the base: %s', async (name) => {
    const seen = statusesOf(await on(name, ['--tests', EFFECTS[name]!]));
    expect(Object.keys(seen).length).toBeGreaterThan(0);
    expect(Object.values(seen)).not.toContain('pass');
    expect(Object.values(seen)).not.toContain('crash');
  });
});
