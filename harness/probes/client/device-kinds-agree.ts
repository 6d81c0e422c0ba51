import type { Probe } from '../../steps/steps.ts';
import { broken } from './support.ts';

/** Devices that differ in nothing but their numbers are taken for the same hardware, so they are of one kind. */
export const deviceKindsAgree: Probe = (context) => {
  const kinds = new Map<string, string>();
  for (const description of context.client.devices().map((d) => d.description())) {
    const names = description.attributes().map((a) => a.name);
    const appearance = [description.debugString().replace(/\d+/g, '#'), ...names].join();
    const kind = description.deviceKind();
    const before = kinds.get(appearance);
    if (before !== undefined && before !== kind)
      broken(
        `devices that look the same are of the kinds ${JSON.stringify(before)} and ${JSON.stringify(kind)}`,
        'PJRT_DeviceDescription_Kind',
      );
    kinds.set(appearance, kind);
  }
};
