import type { Probe } from '../steps/steps.ts';
import type { DescribedProbe } from './probe.ts';
import { PROBE_MODULES } from './registry.generated.ts';

/** Loads the probe of a name; undefined if there is none. */
export async function loadProbe(name: string): Promise<Probe | undefined> {
  const module = (await PROBE_MODULES[name]?.()) as Readonly<Record<string, Partial<DescribedProbe>>> | undefined;
  return Object.values(module ?? {}).find((one) => one.probe === name) as DescribedProbe | undefined;
}
