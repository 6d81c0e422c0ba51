import type { Probe } from '../../steps/steps.ts';
import { destroyBusyClient } from './destroy-busy-client.ts';
import { devicePointers, lookupAfterLast } from './device-pointers.ts';
import { distinctTables } from './distinct-tables.ts';
import { errorOutlivesClient } from './error-outlives-client.ts';
import { errorsStayHome } from './errors-stay-home.ts';
import { failingLookup } from './failing-lookup.ts';
import { foreignOptions } from './foreign-options.ts';
import { handlesOfClients } from './handles-of-clients.ts';
import { impossibleOutput } from './impossible-output.ts';
import { keyValueFailing, keyValueLate, keyValueRendezvous } from './key-value-rendezvous.ts';
import { deviceKindsAgree, memoryKindIds } from './kinds.ts';
import { manyLiveBuffers } from './many-live-buffers.ts';
import {
  memoryStatsAnswered,
  memoryStatsCleared,
  memoryStatsFlags,
  memoryStatsFollow,
  memoryStatsForOlderCaller,
  memoryStatsPlausible,
} from './memory-stats.ts';
import {
  userDataEnd,
  userDataReplacement,
  userDataRoundTrip,
  userDataTable,
  userDataUnknownKey,
} from './memory-user-data.ts';
import { optionMemory } from './option-memory.ts';
import { poisonPendingLaunch } from './poison-pending-launch.ts';
import { unknownTopologyOption, wrongOptionType } from './refused-options.ts';
import { staleStoreIgnored, storeNotCalled } from './unused-key-value-store.ts';

/** Probes of this area, by the names of names.ts. */
export const PROBES: Readonly<Record<string, Probe>> = {
  'destroy-busy-client': destroyBusyClient,
  'device-kinds-agree': deviceKindsAgree,
  'memory-kind-ids': memoryKindIds,
  'device-pointers': devicePointers,
  'distinct-tables': distinctTables,
  'error-outlives-client': errorOutlivesClient,
  'errors-stay-home': errorsStayHome,
  'failing-lookup': failingLookup,
  'foreign-options': foreignOptions,
  'handles-of-clients': handlesOfClients,
  'impossible-output': impossibleOutput,
  'key-value-failing': keyValueFailing,
  'key-value-late': keyValueLate,
  'key-value-rendezvous': keyValueRendezvous,
  'lookup-after-last': lookupAfterLast,
  'many-live-buffers': manyLiveBuffers,
  'memory-stats-answered': memoryStatsAnswered,
  'memory-stats-cleared': memoryStatsCleared,
  'memory-stats-flags': memoryStatsFlags,
  'memory-stats-follow': memoryStatsFollow,
  'memory-stats-for-older-caller': memoryStatsForOlderCaller,
  'memory-stats-plausible': memoryStatsPlausible,
  'user-data-end': userDataEnd,
  'user-data-replacement': userDataReplacement,
  'user-data-round-trip': userDataRoundTrip,
  'user-data-table': userDataTable,
  'user-data-unknown-key': userDataUnknownKey,
  'option-memory': optionMemory,
  'poison-pending-launch': poisonPendingLaunch,
  'unknown-topology-option': unknownTopologyOption,
  'unused-store-not-called': storeNotCalled,
  'unused-store-stale': staleStoreIgnored,
  'wrong-option-type': wrongOptionType,
};
