import { beforeEach, expect, test, vi } from 'vitest';
import type { RunPlan } from '../../host/run-plan.ts';
import type { Event } from '../../model/events.ts';
import type { ResolvedPlugin } from '../../model/plugin.ts';
import { sampleCase } from '../../suite/sample-case.test-helper.ts';
import type { Consumer } from '../../verdict/frameworks/plugin-view.ts';
import { examine } from './examine.ts';

/** Which act is interrupted, counted from 1; its plugin has already answered, its cases have no result. */
const acts = vi.hoisted(() => ({ count: 0, interruptedAt: 0, sent: [] as object[], stop: new AbortController() }));

vi.mock('../../host/runner.ts', () => ({
  runPlan: async ({ facts, plugins }: RunPlan, emit: (event: Event) => void) => {
    acts.sent.push(plugins[0]!.options);
    emit({ type: 'plugin', plugin: { ...facts[0]!, apiVersion: { major: 0, minor: 81 } } });
    if (++acts.count === acts.interruptedAt) acts.stop.abort();
  },
}));
vi.mock('../suites/load-suites.ts', () => ({
  loadAllSuites: async () => {
    const cases = [sampleCase('framework/session:client')];
    return [{ id: 'framework/session', file: 'session.yaml', description: '', cases }];
  },
}));

beforeEach(() => {
  acts.count = 0;
  acts.sent = [];
  acts.stop = new AbortController();
});

const plugin = { name: 'a', library: import.meta.filename, options: {}, env: {}, sha256: '', sizeBytes: 0 };
const seen = (consumers: Consumer[] = [{ minor: 54 }, { minor: 81 }]) =>
  examine(
    { binding: 'lazy', deadlines: {} },
    { cwd: '/', env: {}, argv: [], stdout: process.stdout, stderr: process.stderr, signal: acts.stop.signal },
    plugin as unknown as ResolvedPlugin,
    consumers,
    () => {},
  );

test.each([1, 2, 3])('an interruption during act %i decides nothing', async (at) => {
  acts.interruptedAt = at;
  expect(await seen()).toEqual({ interrupted: true });
  expect(acts.count).toBe(at);
});

test('without an interruption there is a view', async () => {
  acts.interruptedAt = 0;
  expect(await seen()).toMatchObject({ view: { minor: 81 } });
  expect(acts.count).toBe(3);
});

test('the create options of a consumer are sent in its own session alone, integers as int64', async () => {
  acts.interruptedAt = 0;
  await seen([{ minor: 81 }, { minor: 81, createOptions: { size: 0 } }]);
  expect(acts.sent).toEqual([{}, {}, { size: { kind: 'int64', value: 0n } }]);
});
