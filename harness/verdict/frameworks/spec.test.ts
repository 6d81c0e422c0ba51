import { describe, expect, test } from 'vitest';
import { allReleases, parseRelease, releaseName } from './spec.ts';

test.each([
  ['jax@0.10.2', 'jax@0.10.2'],
  ['jax@0.10', 'jax@0.10.2'],
  ['jax@0.4', 'jax@0.4.38'],
  ['pytorch-xla@2.9', 'pytorch-xla@2.9.0'],
  ['tensorflow@2.21', 'tensorflow@2.21.0'],
  ['JAX@0.8.0', 'jax@0.8.0'],
])('%s is %s', (spec, name) => expect(releaseName(parseRelease(spec))).toBe(name));

test('without a version, or with latest, it is the newest that is known', () => {
  const newest = releaseName(allReleases().findLast(({ framework }) => framework.name === 'jax')!);
  expect([parseRelease('jax'), parseRelease('jax@latest')].map(releaseName)).toEqual([newest, newest]);
});

describe('errors say what there is', () => {
  test.each([
    ['torch_xla@2.9', 'known are jax, pytorch-xla, tensorflow, torch-tpu, gopjrt, zml; did you mean "pytorch-xla"?'],
    ['jaxx', 'did you mean "jax"?'],
    ['jax@', 'write it as in jax@'],
    ['jax@0.8@1', 'write it as in jax@'],
    ['jax@newest', 'versions are such as'],
    ['jax@0.10.3', 'the nearest before it is 0.10.2\n  known: 0.4.30, '],
    ['jax@0.2', 'the oldest known is 0.4.30'],
  ])('%s', (spec, text) => expect(() => parseRelease(spec)).toThrow(text));
});
