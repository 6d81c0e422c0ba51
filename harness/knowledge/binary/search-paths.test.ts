import { expect, test } from 'vitest';
import { searchPathFlaw } from './search-paths.ts';

test.each([
  '$ORIGIN',
  '$ORIGIN/../lib',
  '${ORIGIN}/lib',
  '/usr/lib/x86_64-linux-gnu',
  '/opt/rocm/lib',
  '/usr/local/cuda/lib64',
])('%s is found wherever the plugin is installed', (path) => {
  expect(searchPathFlaw(path)).toBeUndefined();
});

test.each(['', 'lib', '.', '../lib', '$LIB', '$ORIGINAL/lib'])('"%s" depends on the working directory', (path) => {
  expect(searchPathFlaw(path)).toMatch(/relative/);
});

test.each([
  '/home/someone/build/lib',
  '/tmp/out',
  '/srv/x/execroot/lib',
  '/opt/x/bazel-out/k8-opt/bin',
  '/__w/p/p/build',
])('%s is of the machine that built the plugin', (path) => {
  expect(searchPathFlaw(path)).toMatch(/built on/);
});
