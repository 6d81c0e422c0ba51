import { beforeAll, describe, expect, test } from 'vitest';
import { installerAvailable } from './support/installer.ts';
import { jaxResults } from './support/jax.ts';
import { referenceLibrary } from './support/reference.ts';

/** A real JAX on the reference plugin, beside the same JAX on its own CPU backend. */
const fetchable = installerAvailable();

describe.skipIf(!fetchable)(fetchable ? 'JAX' : 'JAX (skipped: neither pip nor uv is here)', () => {
  let own: Record<string, unknown>;
  beforeAll(() => {
    own = jaxResults({ JAX_PLATFORMS: 'cpu', XLA_FLAGS: '--xla_force_host_platform_device_count=4' });
  });

  test.each([0, 500])('computes the same on the reference plugin, delay %d us', async (delay) => {
    const on = jaxResults({
      PJRT_NAMES_AND_LIBRARY_PATHS: `ref:${await referenceLibrary()}`,
      JAX_PLATFORMS: 'ref',
      PJRT_REFERENCE_DELAY_US: String(delay),
    });
    expect(on.devices).toEqual([0, 1, 2, 3].map((id) => ['reference', id, 'reference host device']));
    const [value, gradient] = on.value_and_gradient as [number, number];
    expect(value).toBeCloseTo(2.717759983880265, 6);
    expect(gradient).toBeCloseTo(2.979984993200891, 6);
    const computed = (results: Record<string, unknown>) =>
      Object.fromEntries(Object.entries(results).filter(([name]) => name !== 'devices'));
    expect(computed(on)).toEqual(computed(own));
  });
});
