import type { Probe } from '../../steps/steps.ts';
import { concurrentClients } from './concurrent-clients.ts';
import { concurrentWork } from './concurrent-work.ts';
import { destroyBusyClient } from './destroy-busy-client.ts';
import { deviceKindsAgree } from './device-kinds-agree.ts';
import { devicePointers } from './device-pointers.ts';
import { distinctTables } from './distinct-tables.ts';
import { errorOutlivesClient } from './error-outlives-client.ts';
import { errorsStayHome } from './errors-stay-home.ts';
import { foreignOptions } from './foreign-options.ts';
import { handlesOfClients } from './handles-of-clients.ts';
import { impossibleOutput } from './impossible-output.ts';
import { interleavedResults } from './interleaved-results.ts';
import { keyValueRendezvous } from './key-value-rendezvous.ts';
import { leakLoop } from './leak-loop.ts';
import { lookupAfterLast } from './lookup-after-last.ts';
import { memoryKindIds } from './memory-kind-ids.ts';
import { memoryStats } from './memory-stats.ts';
import { memoryUserData } from './memory-user-data.ts';
import { optionMemory } from './option-memory.ts';
import { poisonPendingLaunch } from './poison-pending-launch.ts';
import { unknownTopologyOption } from './unknown-topology-option.ts';
import { unusedKeyValueStore } from './unused-key-value-store.ts';
import { wrongOptionType } from './wrong-option-type.ts';

/** Probes of this area, by the names of names.ts. */
export const PROBES: Readonly<Record<string, Probe>> = {
  'concurrent-clients': concurrentClients,
  'concurrent-work': concurrentWork,
  'destroy-busy-client': destroyBusyClient,
  'device-kinds-agree': deviceKindsAgree,
  'memory-kind-ids': memoryKindIds,
  'device-pointers': devicePointers,
  'distinct-tables': distinctTables,
  'error-outlives-client': errorOutlivesClient,
  'errors-stay-home': errorsStayHome,
  'foreign-options': foreignOptions,
  'handles-of-clients': handlesOfClients,
  'impossible-output': impossibleOutput,
  'interleaved-results': interleavedResults,
  'key-value-rendezvous': keyValueRendezvous,
  'leak-loop': leakLoop,
  'lookup-after-last': lookupAfterLast,
  'memory-stats': memoryStats,
  'memory-user-data': memoryUserData,
  'option-memory': optionMemory,
  'poison-pending-launch': poisonPendingLaunch,
  'unknown-topology-option': unknownTopologyOption,
  'unused-key-value-store': unusedKeyValueStore,
  'wrong-option-type': wrongOptionType,
};
