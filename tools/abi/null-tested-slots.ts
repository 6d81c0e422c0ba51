import { FRAMEWORKS, loadFramework, useOf } from '../../harness/frameworks/load.ts';

/**
 * Slots that frameworks test for NULL before they call them, as of the newest release of each: at least one does, and none
 * calls the function without a test.
 */
export function nullTestedSlots(): Set<string> {
  const tested = new Set<string>();
  const untested = new Set<string>();
  for (const framework of FRAMEWORKS.map(loadFramework)) {
    for (const name of Object.keys(framework.functions)) {
      const use = useOf(framework, framework.releases.at(-1)!, name);
      if (use) (use.gate?.nullChecked ? tested : untested).add(`PJRT_${name}`);
    }
  }
  return new Set([...tested].filter((name) => !untested.has(name)));
}
