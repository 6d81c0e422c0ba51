import { describe, expect, test } from 'vitest';
import { installerAvailable } from './support/installer.ts';
import { JAX_VERSION, jaxResults } from './support/jax.ts';
import { referenceLibrary } from './support/reference.ts';

/** A real JAX on the reference plugin, compared with the same JAX on its own CPU backend. */
const fetchable = installerAvailable();

describe.skipIf(!fetchable)(fetchable ? 'JAX' : 'JAX (skipped: neither pip nor uv is here)', () => {
  const own = new Map<string, Record<string, unknown>>();
  const ownResults = (version: string) => {
    const results =
      own.get(version) ??
      jaxResults({ JAX_PLATFORMS: 'cpu', XLA_FLAGS: '--xla_force_host_platform_device_count=4' }, version);
    own.set(version, results);
    return results;
  };

  // Before 0.9.1 JAX takes the shardings of an executable from the text of PJRT_Executable_OptimizedProgram.
  test.each([
    [JAX_VERSION, 0],
    [JAX_VERSION, 500],
    ['0.6.2', 0],
  ])('%s computes the same on the reference plugin, delay %d us', async (version, delay) => {
    const on = jaxResults(
      {
        PJRT_NAMES_AND_LIBRARY_PATHS: `ref:${await referenceLibrary()}`,
        JAX_PLATFORMS: 'ref',
        PJRT_REFERENCE_DELAY_US: String(delay),
      },
      version,
    );
    expect(on.devices).toEqual([0, 1, 2, 3].map((id) => ['reference', id, 'reference host device']));
    const [value, gradient] = on.value_and_gradient as [number, number];
    expect(value).toBeCloseTo(2.717759983880265, 6);
    expect(gradient).toBeCloseTo(2.979984993200891, 6);
    const computed = (results: Record<string, unknown>) =>
      Object.fromEntries(Object.entries(results).filter(([name]) => name !== 'devices'));
    expect(computed(on)).toEqual(computed(ownResults(version)));
  });
});
