import type { Probe } from '../../steps/steps.ts';
import { apiTable } from './api-table.ts';
import { attributeVersions } from './attribute-versions.ts';
import { callFields } from './call-fields.ts';
import { callNestedStruct } from './call-nested-struct.ts';
import { callProfilerExtension } from './call-profiler-extension.ts';
import { callLargerStruct, callOlderStruct, callPaddedStruct, callSmallStruct } from './call-struct-size.ts';
import { callUnknownExtension } from './call-unknown-extension.ts';
import { callUnterminatedStrings } from './call-unterminated-strings.ts';
import { clientLeftovers } from './client-leftovers.ts';
import { errorContract, errorTableDestroy } from './error-contract.ts';
import { errorOutlivesBuffer } from './error-outlives-buffer.ts';
import { errorPayloads } from './error-payloads.ts';
import { errorWithoutVisitor } from './error-without-visitor.ts';
import { exportedSymbols } from './exported-symbols.ts';
import { extensionChain } from './extension-chain.ts';
import { EXTENSION_PROBES } from './extensions/index.ts';
import { freshProcess } from './fresh-process.ts';
import { namedValues } from './named-values.ts';
import { processState } from './process-state.ts';
import { resourceCycle } from './resource-cycle.ts';
import { offered, worksOrUnimplemented } from './unimplemented.ts';

/** Probes of this area, by the names of names.ts. */
export const PROBES: Readonly<Record<string, Probe>> = {
  'api-table': apiTable,
  'attribute-versions': attributeVersions,
  'call-fields': callFields,
  'call-larger-struct': callLargerStruct,
  'call-nested-struct': callNestedStruct,
  'call-older-struct': callOlderStruct,
  'call-padded-struct': callPaddedStruct,
  'call-profiler-extension': callProfilerExtension,
  'call-small-struct': callSmallStruct,
  'call-unknown-extension': callUnknownExtension,
  'call-unterminated-strings': callUnterminatedStrings,
  'client-leftovers': clientLeftovers,
  'error-contract': errorContract,
  'error-outlives-buffer': errorOutlivesBuffer,
  'error-payloads': errorPayloads,
  'error-table-destroy': errorTableDestroy,
  'error-without-visitor': errorWithoutVisitor,
  'exported-symbols': exportedSymbols,
  'extension-chain': extensionChain,
  'fresh-process': freshProcess,
  'named-values': namedValues,
  offered,
  'process-state': processState,
  'resource-cycle': resourceCycle,
  'works-or-unimplemented': worksOrUnimplemented,
  ...EXTENSION_PROBES,
};
