import type { Topology } from '../../pjrt/topology.ts';
import type { Probe } from '../../steps/steps.ts';
import { broken } from './support.ts';

/** The client's topology and the client agree on the kind of every device that both describe. */
export const topologyDeviceKinds: Probe = (context) => {
  const topology = context.resolve('$topology') as Topology;
  const kinds = new Map(topology.deviceDescriptions().map((d) => [d.id(), d.deviceKind()]));
  for (const device of context.client.devices().map((d) => d.description())) {
    const described = kinds.get(device.id());
    if (described !== undefined && described !== device.deviceKind())
      broken(
        `the device with the id ${device.id()} is a ${JSON.stringify(device.deviceKind())}, the topology says ${JSON.stringify(described)}`,
        'PJRT_DeviceDescription_Kind',
      );
  }
};
