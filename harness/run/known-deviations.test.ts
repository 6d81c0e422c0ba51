import { expect, test } from 'vitest';
import { deviationFor } from '../host/plugins/deviations.ts';
import { readKnownManifests } from '../host/plugins/known.ts';
import type { Deviation } from '../model/plugin.ts';
import { loadRequirements } from '../suite/requirements.ts';
import { packageSuites } from './suites/package-suites.ts';

const manifests = (await readKnownManifests()).filter(({ deviations }) => deviations.length > 0);
const requirements = loadRequirements();
const { cases } = packageSuites();

// A deviation that matches nothing would go unnoticed.
test.each(manifests.map((manifest) => [manifest.name, manifest] as const))(
  'every known deviation of %s explains a case of the suites that covers its requirement',
  (_, manifest) => {
    const covered = new Map<Deviation, Set<string>>();
    for (const { id, covers } of cases) {
      const deviation = deviationFor(manifest, id);
      if (deviation) covered.set(deviation, new Set([...(covered.get(deviation) ?? []), ...covers]));
    }
    const problems = manifest.deviations.flatMap((deviation) => {
      const { cases, requirement } = deviation;
      if (!requirements.has(requirement)) return [`${cases}: there is no requirement ${requirement}`];
      if (!covered.has(deviation)) return [`${cases}: fits no case, or none that an earlier one does not explain`];
      return covered.get(deviation)!.has(requirement) ? [] : [`${cases}: no case of it covers ${requirement}`];
    });
    expect(problems).toEqual([]);
  },
);
