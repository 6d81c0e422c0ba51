import type { Probe } from '../../steps/steps.ts';
import { canonicalShape } from './canonical-shape.ts';
import { clientCycles } from './client-cycles.ts';
import { concurrentClients } from './concurrent-clients.ts';
import { concurrentWork } from './concurrent-work.ts';
import { createTopology } from './create-topology.ts';
import { defaultAssignment } from './default-assignment.ts';
import { destroyBusyClient } from './destroy-busy-client.ts';
import { deviceAttributes } from './device-attributes.ts';
import { deviceKindsAgree } from './device-kinds-agree.ts';
import { deviceLookup } from './device-lookup.ts';
import { devicePointers } from './device-pointers.ts';
import { distinctTables } from './distinct-tables.ts';
import { errorOutlivesClient } from './error-outlives-client.ts';
import { errorsStayHome } from './errors-stay-home.ts';
import { handlesOfClients } from './handles-of-clients.ts';
import { impossibleAllocation } from './impossible-allocation.ts';
import { interleavedResults } from './interleaved-results.ts';
import { keyValueRendezvous } from './key-value-rendezvous.ts';
import { leakLoop } from './leak-loop.ts';
import { memoryKindIds } from './memory-kind-ids.ts';
import { memoryStats } from './memory-stats.ts';
import { memoryUserData } from './memory-user-data.ts';
import { optionMemory } from './option-memory.ts';
import { poisonPendingLaunch } from './poison-pending-launch.ts';
import { refusedOptions } from './refused-options.ts';
import { serializedTopology } from './serialized-topology.ts';
import { survivingClient } from './surviving-client.ts';
import { topologyDeviceKinds } from './topology-device-kinds.ts';
import { twoPluginClients } from './two-plugin-clients.ts';
import { unusedKeyValueStore } from './unused-key-value-store.ts';
import { wrongOptionType } from './wrong-option-type.ts';

/** Probes of this area, by the names of names.ts. */
export const PROBES: Readonly<Record<string, Probe>> = {
  'canonical-shape': canonicalShape,
  'client-cycles': clientCycles,
  'concurrent-clients': concurrentClients,
  'concurrent-work': concurrentWork,
  'create-topology': createTopology,
  'default-assignment': defaultAssignment,
  'destroy-busy-client': destroyBusyClient,
  'device-attributes': deviceAttributes,
  'device-kinds-agree': deviceKindsAgree,
  'memory-kind-ids': memoryKindIds,
  'topology-device-kinds': topologyDeviceKinds,
  'device-lookup': deviceLookup,
  'device-pointers': devicePointers,
  'distinct-tables': distinctTables,
  'error-outlives-client': errorOutlivesClient,
  'errors-stay-home': errorsStayHome,
  'handles-of-clients': handlesOfClients,
  'impossible-allocation': impossibleAllocation,
  'interleaved-results': interleavedResults,
  'key-value-rendezvous': keyValueRendezvous,
  'leak-loop': leakLoop,
  'memory-stats': memoryStats,
  'memory-user-data': memoryUserData,
  'option-memory': optionMemory,
  'poison-pending-launch': poisonPendingLaunch,
  'refused-options': refusedOptions,
  'serialized-topology': serializedTopology,
  'surviving-client': survivingClient,
  'two-plugin-clients': twoPluginClients,
  'unused-key-value-store': unusedKeyValueStore,
  'wrong-option-type': wrongOptionType,
};
