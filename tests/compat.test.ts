import { describe, expect, test } from 'vitest';
import type { Row } from '../harness/verdict/frameworks/format.ts';
import type { Prediction } from '../harness/verdict/frameworks/prediction.ts';
import { compare } from '../tools/compat/agreement.ts';
import { assemble, loadComparison } from '../tools/compat/plugins.ts';
import { runJax } from '../tools/compat/run-jax.ts';
import { resolveHere } from '../tools/resolve-here.ts';
import { cli } from './support/cli.ts';
import { installerAvailable } from './support/installer.ts';
import { JAX_VERSION, jaxResults } from './support/jax.ts';
import { referenceLibrary } from './support/reference.ts';

/** Part of `npm run check:compat`, with the command itself: an old release and a new one. */
const RELEASES = ['0.6.2', JAX_VERSION];
const PLUGINS = [
  'xla-cpu',
  // What JAX calls depends on whether buffers are on the CPU.
  'internal-download',
  // It runs, and what it gives is wrong.
  'strides-ignored',
];

const fetchable = installerAvailable();
const { subjects } = loadComparison();

describe.skipIf(!fetchable)(fetchable ? 'compat' : 'compat (skipped: neither pip nor uv is here)', () => {
  test.each(PLUGINS)('predicts for %s what JAX does with it', async (name) => {
    const { recipe } = subjects.find((subject) => subject.name === name)!;
    const base = recipe.base === 'reference' ? await referenceLibrary() : (await resolveHere(recipe.base)).library;
    const { library, env } = await assemble(recipe, base);
    const { stdout, stderr } = await cli(['compat', library, '--format', 'json'], { env });
    expect(stderr).toBe('');
    const rows = JSON.parse(stdout) as (Prediction & { framework: string; version: string })[];
    for (const release of RELEASES) {
      const predicted = rows.find((row) => row.framework === 'jax' && row.version === release);
      const seen = await runJax(release, library, env);
      expect({ release, ...compare(predicted, seen) }).toEqual({ release, agrees: true });
    }
  });

  // Their platforms are named reference and cpu.
  test.each(['reference', 'xla-cpu'])('knows what the name of the platform costs %s', async (name) => {
    const library = name === 'reference' ? await referenceLibrary() : (await resolveHere(name)).library;
    const { stdout } = await cli(['compat', library, '--framework', `jax@${JAX_VERSION}`, '--format', 'json']);
    const [{ platform }] = JSON.parse(stdout) as [Row];
    const environment = { PJRT_NAMES_AND_LIBRARY_PATHS: `subject:${library}`, JAX_PLATFORMS: 'subject' };
    const happens = jaxResults(environment, JAX_VERSION, 'by_platform.py');
    const missing = Object.keys(happens).filter((feature) => !happens[feature]);
    expect(platform.withheld.map(({ feature }) => feature)).toEqual(missing);
    expect(missing).toHaveLength(name === 'reference' ? 3 : 0);
  });
});
