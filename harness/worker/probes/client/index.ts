import type { Probe } from '../../steps/steps.ts';
import { distinctTables } from '../coexistence/distinct-tables.ts';
import { errorsStayHome } from '../coexistence/errors-stay-home.ts';
import { foreignOptions } from '../coexistence/foreign-options.ts';
import { interleavedResults } from '../coexistence/interleaved-results.ts';
import { devicePointers, lookupAfterLast } from '../devices/device-pointers.ts';
import { deviceKindsAgree, memoryKindIds } from '../devices/kinds.ts';
import {
  memoryStatsAnswered,
  memoryStatsCleared,
  memoryStatsFlags,
  memoryStatsFollow,
  memoryStatsForOlderCaller,
  memoryStatsPlausible,
} from '../devices/memory-stats.ts';
import { poisonPendingLaunch } from '../devices/poison-pending-launch.ts';
import {
  userDataEnd,
  userDataReplacement,
  userDataRoundTrip,
  userDataTable,
  userDataUnknownKey,
} from '../memories/memory-user-data.ts';
import { concurrentClients } from '../resources/concurrent-clients.ts';
import { handlesOfClients } from '../resources/handles-of-clients.ts';
import { impossibleOutput } from '../resources/impossible-output.ts';
import {
  leakOfBuffers,
  leakOfClients,
  leakOfCompilations,
  leakOfDeletedBuffers,
  leakOfErrors,
  leakOfEvents,
  leakOfExecutions,
  leakOfExecutionsWithoutEvents,
  leakOfFailedClients,
  leakOfFailedExecutions,
  leakOfPendingBuffers,
  leakOfReads,
  leakOfSerializedTopologies,
} from '../resources/leak-loop.ts';
import { manyLiveBuffers } from '../resources/many-live-buffers.ts';
import {
  threadsCompiling,
  threadsExecuting,
  threadsFailing,
  threadsMixed,
  threadsQuerying,
  threadsReading,
  threadsTransferring,
  threadsWaiting,
} from '../resources/threads.ts';
import { destroyBusyClient } from './destroy-busy-client.ts';
import { errorOutlivesClient } from './error-outlives-client.ts';
import { keyValueFailing, keyValueLate, keyValueRendezvous } from './key-value-rendezvous.ts';
import { optionMemory } from './option-memory.ts';
import { unknownTopologyOption, wrongOptionType } from './refused-options.ts';
import { staleStoreIgnored, storeNotCalled } from './unused-key-value-store.ts';

/** Probes of this area, by the names of names.ts. */
export const PROBES: Readonly<Record<string, Probe>> = {
  'concurrent-clients': concurrentClients,
  'threads-compiling': threadsCompiling,
  'threads-executing': threadsExecuting,
  'threads-failing': threadsFailing,
  'threads-mixed': threadsMixed,
  'threads-querying': threadsQuerying,
  'threads-reading': threadsReading,
  'threads-transferring': threadsTransferring,
  'threads-waiting': threadsWaiting,
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
  'key-value-failing': keyValueFailing,
  'key-value-late': keyValueLate,
  'key-value-rendezvous': keyValueRendezvous,
  'leak-of-buffers': leakOfBuffers,
  'leak-of-clients': leakOfClients,
  'leak-of-compilations': leakOfCompilations,
  'leak-of-deleted-buffers': leakOfDeletedBuffers,
  'leak-of-errors': leakOfErrors,
  'leak-of-events': leakOfEvents,
  'leak-of-executions': leakOfExecutions,
  'leak-of-executions-without-events': leakOfExecutionsWithoutEvents,
  'leak-of-failed-clients': leakOfFailedClients,
  'leak-of-failed-executions': leakOfFailedExecutions,
  'leak-of-pending-buffers': leakOfPendingBuffers,
  'leak-of-reads': leakOfReads,
  'leak-of-serialized-topologies': leakOfSerializedTopologies,
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
