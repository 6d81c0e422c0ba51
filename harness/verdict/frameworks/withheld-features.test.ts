import { describe, expect, test } from 'vitest';
import { formatOne, formatTable } from './format.ts';
import { FRAMEWORKS, loadFramework } from './load.ts';
import { needsOf } from './needs.ts';
import type { Prediction } from './prediction.ts';
import { allReleases, parseRelease } from './spec.ts';
import { windowOf } from './window.ts';
import { gatesOf, withheldFeaturesOf } from './withheld-features.ts';

const features = (release: string, platform: string | undefined): string[] =>
  withheldFeaturesOf(parseRelease(release), platform).map(({ feature }) => feature);

describe('the name of a platform', () => {
  test.each([
    ['jax@0.6.2', 'cpu', []],
    ['jax@0.9.2', 'cuda', []],
    ['jax@0.10.2', 'tpu', []],
    ['jax@0.10.2', 'neuron', ['host callbacks']],
    ['jax@0.6.2', 'foo', ['donation', 'compilation cache', 'host callbacks']],
    ['jax@0.12.0.1', 'foo', ['donation', 'compilation cache', 'host callbacks']],
    // Names are compared as they are.
    ['jax@0.12.0.1', 'CPU', ['donation', 'compilation cache', 'host callbacks']],
    // The lists of later releases are longer.
    ['jax@0.10.2', 'oneapi', ['donation', 'compilation cache', 'host callbacks']],
    ['jax@0.11.0', 'oneapi', ['donation', 'host callbacks']],
    ['jax@0.12.0.1', 'oneapi', []],
    ['jax@0.4.33', 'neuron', ['donation', 'compilation cache', 'host callbacks']],
  ])('with %s, %s does without %j', (release, platform, expected) =>
    expect(features(release, platform)).toEqual(expected),
  );

  test('nothing is claimed without a name, or of frameworks that look at none', () => {
    expect(features('jax@0.12.0.1', undefined)).toEqual([]);
    expect(features('pytorch-xla@2.9', 'foo')).toEqual([]);
  });

  test('every release has one list for each feature', () => {
    for (const chosen of allReleases()) {
      const gates = gatesOf(chosen).map(({ feature }) => feature);
      const all = new Set(chosen.framework.platforms.map(({ feature }) => feature));
      expect([chosen.release.version, gates.sort()]).toEqual([chosen.release.version, [...all].sort()]);
    }
  });

  test('lists begin and end with releases that are known', () => {
    for (const { platforms, releases } of FRAMEWORKS.map(loadFramework)) {
      const versions = releases.map(({ version }) => version);
      for (const { from, to } of platforms) expect(versions).toEqual(expect.arrayContaining([from, to]));
    }
  });
});

describe('is reported', () => {
  const prediction: Prediction = {
    outcome: 'works',
    reason: 'nothing that it needs is missing',
    limits: [],
    limitFacts: [],
    facts: [],
    untried: [],
  };
  const row = (name: string) => {
    const chosen = parseRelease('jax@0.10.2');
    const platform = { name, withheld: withheldFeaturesOf(chosen, name) };
    return { ...chosen, prediction, window: windowOf(chosen, 112, prediction), platform };
  };

  test('under the table and for one release, with the list and its source', () => {
    expect(formatTable([row('foo')])).toContain(
      'on a platform named foo JAX 0.10.2 does without donation, compilation cache, host callbacks',
    );
    const one = formatOne(row('foo'), 'foo');
    expect(one).toContain('withheld because of the platform name foo');
    expect(one).toMatch(/donation \(only on cpu, cuda, neuron, rocm, tpu\): .*\n {2}source: jax\/_src/);
  });

  test('not of a name that costs nothing', () => {
    expect(formatTable([row('cpu')])).not.toContain('Platform name');
    expect(formatOne(row('cpu'), 'xla-cpu')).not.toContain('platform name');
  });

  test('to whoever writes a plugin', () => {
    const used = needsOf(parseRelease('jax@0.12')).find(({ moment }) => moment === 'when used');
    expect(used!.rules.filter((rule) => rule.startsWith('PJRT_Client_PlatformName is cpu, cuda,'))).toHaveLength(3);
  });
});
