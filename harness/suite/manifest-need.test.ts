import { expect, it } from 'vitest';
import { manifestNeed } from './manifest-need.ts';

it('names the first thing that the manifest does not say', () => {
  const requires = { manifest: ['topology', 'knownOptions'], options: ['num_nodes', 'node_id'] };
  const knownOptions = { num_nodes: 'int64' };
  expect(manifestNeed(requires, {})).toBe("the plugin's manifest has no `topology`");
  expect(manifestNeed({ options: requires.options }, {})).toBe("the plugin's manifest knows no option num_nodes");
  expect(manifestNeed({ options: requires.options }, { knownOptions })).toBe(
    "the plugin's manifest knows no option node_id",
  );
  expect(manifestNeed({ ...requires, manifest: [] }, { knownOptions: { ...knownOptions, node_id: 'int64' } })).toBe(
    undefined,
  );
  expect(manifestNeed({}, {})).toBe(undefined);
});
