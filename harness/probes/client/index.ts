import type { Probe } from '../../steps/steps.ts';
import { addressableDevices } from './addressable-devices.ts';
import { canonicalShape } from './canonical-shape.ts';
import { clientCycles } from './client-cycles.ts';
import { concurrentClients } from './concurrent-clients.ts';
import { concurrentWork } from './concurrent-work.ts';
import { createTopology } from './create-topology.ts';
import { defaultAssignment } from './default-assignment.ts';
import { destroyBusyClient } from './destroy-busy-client.ts';
import { deviceAttributes } from './device-attributes.ts';
import { deviceDescriptions } from './device-descriptions.ts';
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
import { listOrUnimplemented } from './list-or-unimplemented.ts';
import { localHardwareIds } from './local-hardware-ids.ts';
import { memoryAnswers } from './memory-answers.ts';
import { memoryPointers } from './memory-pointers.ts';
import { memoryRelations } from './memory-relations.ts';
import { memoryStats } from './memory-stats.ts';
import { memoryUserData } from './memory-user-data.ts';
import { optionMemory } from './option-memory.ts';
import { poisonPendingLaunch } from './poison-pending-launch.ts';
import { refusedOptions } from './refused-options.ts';
import { serializedTopology } from './serialized-topology.ts';
import { stableAnswer } from './stable-answer.ts';
import { survivingClient } from './surviving-client.ts';
import { topologyDevices } from './topology-devices.ts';
import { twoPluginClients } from './two-plugin-clients.ts';
import { unusedKeyValueStore } from './unused-key-value-store.ts';
import { wrongOptionType } from './wrong-option-type.ts';

/** Probes of this area, by the names of names.ts. */
export const PROBES: Readonly<Record<string, Probe>> = {
  'addressable-devices': addressableDevices,
  'canonical-shape': canonicalShape,
  'client-cycles': clientCycles,
  'concurrent-clients': concurrentClients,
  'concurrent-work': concurrentWork,
  'create-topology': createTopology,
  'default-assignment': defaultAssignment,
  'destroy-busy-client': destroyBusyClient,
  'device-attributes': deviceAttributes,
  'device-descriptions': deviceDescriptions,
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
  'list-or-unimplemented': listOrUnimplemented,
  'local-hardware-ids': localHardwareIds,
  'memory-answers': memoryAnswers,
  'memory-pointers': memoryPointers,
  'memory-relations': memoryRelations,
  'memory-stats': memoryStats,
  'memory-user-data': memoryUserData,
  'option-memory': optionMemory,
  'poison-pending-launch': poisonPendingLaunch,
  'refused-options': refusedOptions,
  'serialized-topology': serializedTopology,
  'stable-answer': stableAnswer,
  'surviving-client': survivingClient,
  'topology-devices': topologyDevices,
  'two-plugin-clients': twoPluginClients,
  'unused-key-value-store': unusedKeyValueStore,
  'wrong-option-type': wrongOptionType,
};
