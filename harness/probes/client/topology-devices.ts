import type { Topology } from '../../pjrt/topology.ts';
import type { CaseContext } from '../../steps/context.ts';
import { SuiteFault } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { kindIds } from './canonical-shape.ts';
import { broken } from './support.ts';

const DESCRIPTIONS = 'PJRT_TopologyDescription_GetDeviceDescriptions';

/** One rule on how the client's topology agrees with the client itself. */
export const topologyDevices: Probe = (context, options) => {
  const rule = RULES[String(options.rule)];
  if (!rule) throw new SuiteFault(`rule is one of ${Object.keys(RULES).join(', ')}`);
  rule(context, context.resolve('$topology') as Topology);
};

const ascending = (numbers: readonly number[]): string => [...numbers].sort((a, b) => a - b).join(' ');

const RULES: Readonly<Record<string, (context: CaseContext, topology: Topology) => void>> = {
  'same-ids': ({ client }, topology) => {
    const described = ascending(topology.deviceDescriptions().map((d) => d.id()));
    const present = ascending(client.devices().map((d) => d.id()));
    if (described !== present)
      broken(`the topology describes the devices ${described}, the client has ${present}`, DESCRIPTIONS);
  },
  'same-kinds': ({ client }, topology) => {
    const kinds = new Map(topology.deviceDescriptions().map((d) => [d.id(), d.deviceKind()]));
    for (const device of client.devices().map((d) => d.description())) {
      const described = kinds.get(device.id());
      if (described !== undefined && described !== device.deviceKind())
        broken(
          `the device with the id ${device.id()} is a ${JSON.stringify(device.deviceKind())}, the topology says ${JSON.stringify(described)}`,
          'PJRT_DeviceDescription_Kind',
        );
    }
  },
  'memory-kinds': (context, topology) => {
    const known = kindIds(context, topology);
    for (const memory of context.client.addressableMemories())
      if (!known.includes(memory.kindId()))
        broken(
          `memories of the kind ${JSON.stringify(memory.memoryKind())} are not among the kinds of the topology`,
          'PJRT_TopologyDescription_GetMemorySpaceKindIds',
        );
  },
};
