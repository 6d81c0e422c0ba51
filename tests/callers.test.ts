import { describe, expect, test } from 'vitest';
import { differences, fetchCaller, loadCallers, runCaller } from '../tools/callers/callers.ts';

/** Part of `npm run check:callers`, one caller and plugin at a time. */
const PLUGINS = ['reference'];
const { plugins, callers } = loadCallers();

describe.each(Object.entries(callers))('the tests of %s', (name, caller) => {
  for (const plugin of PLUGINS) {
    const subject = plugins[plugin]!;
    test(`on ${plugin}`, async (context) => {
      const fetched = fetchCaller(name, caller);
      if (typeof fetched === 'string') return context.skip(`${name} cannot be had here: ${fetched}`);
      expect(differences(plugin, caller, await runCaller(caller, fetched, subject))).toEqual([]);
    });
  }
});
