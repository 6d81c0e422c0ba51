import type { Probe } from '../../steps/steps.ts';
import { tableCode, tableRepeat, tableSize, tableSlots, tableVersion, tableVersionStruct } from './api-table.ts';
import { attributeVersions } from './attribute-versions.ts';
import { callFields } from './call-fields.ts';
import { callLargerNestedStruct } from './call-nested-struct.ts';
import { callProfilerExtension } from './call-profiler-extension.ts';
import { callLargerStruct, callOlderStruct, callPaddedStruct, callSmallStruct } from './call-struct-size.ts';
import { callUnknownExtension } from './call-unknown-extension.ts';
import { callUnterminatedStrings } from './call-unterminated-strings.ts';
import { clientLeftovers } from './client-leftovers.ts';
import { errorContract, errorTableDestroy } from './error-contract.ts';
import { errorOutlivesBuffer } from './error-outlives-buffer.ts';
import { errorPayloads } from './error-payloads.ts';
import { errorWithoutVisitor } from './error-without-visitor.ts';
import { errorsSideBySide } from './errors-side-by-side.ts';
import { exportedSymbols } from './exported-symbols.ts';
import { chainDuplicates, chainSizes, chainSlots, chainStability, chainTypes, chainWalk } from './extension-chain.ts';
import { EXTENSION_PROBES } from './extensions/index.ts';
import { processBesideNeighbour, processWithClient, processWithoutClient } from './fresh-process.ts';
import { librarySearchPaths } from './library-search-paths.ts';
import { stateAfterInitialize, stateAfterWork } from './process-state.ts';
import { errorProvoked } from './provoke-error.ts';
import { silentWork } from './silent-work.ts';
import { tracesOfWork } from './traces-of-work.ts';
import { offered, worksOrUnimplemented } from './unimplemented.ts';

/** Probes of this area, by the names of names.ts. */
export const PROBES: Readonly<Record<string, Probe>> = {
  'attribute-versions': attributeVersions,
  'call-fields': callFields,
  'call-larger-nested-struct': callLargerNestedStruct,
  'call-larger-struct': callLargerStruct,
  'call-older-struct': callOlderStruct,
  'call-padded-struct': callPaddedStruct,
  'call-profiler-extension': callProfilerExtension,
  'call-small-struct': callSmallStruct,
  'call-unknown-extension': callUnknownExtension,
  'call-unterminated-strings': callUnterminatedStrings,
  'chain-duplicates': chainDuplicates,
  'chain-sizes': chainSizes,
  'chain-slots': chainSlots,
  'chain-stability': chainStability,
  'chain-types': chainTypes,
  'chain-walk': chainWalk,
  'client-leftovers': clientLeftovers,
  'error-contract': errorContract,
  'error-outlives-buffer': errorOutlivesBuffer,
  'error-provoked': errorProvoked,
  'error-payloads': errorPayloads,
  'error-table-destroy': errorTableDestroy,
  'error-without-visitor': errorWithoutVisitor,
  'errors-side-by-side': errorsSideBySide,
  'exported-symbols': exportedSymbols,
  'fresh-process-beside-neighbour': processBesideNeighbour,
  'fresh-process-with-client': processWithClient,
  'fresh-process-without-client': processWithoutClient,
  'library-search-paths': librarySearchPaths,
  offered,
  'silent-work': silentWork,
  'state-after-initialize': stateAfterInitialize,
  'state-after-work': stateAfterWork,
  'table-code': tableCode,
  'table-repeat': tableRepeat,
  'table-size': tableSize,
  'table-slots': tableSlots,
  'table-version': tableVersion,
  'table-version-struct': tableVersionStruct,
  'traces-of-work': tracesOfWork,
  'works-or-unimplemented': worksOrUnimplemented,
  ...EXTENSION_PROBES,
};
