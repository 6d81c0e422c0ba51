import type { Probe } from '../../steps/steps.ts';
import { asyncPieces } from './async-pieces.ts';
import { asyncDestroyedAfterRefusal, asyncRefused } from './async-refused.ts';
import { bitcast } from './bitcast.ts';
import { dlpackExchange } from './dlpack-exchange.ts';
import { dlpackExport, dlpackExportDeleted, dlpackExportTwice } from './dlpack-export.ts';
import { dlpackImport, dlpackImportTransposed, dlpackImportUnaligned, dlpackRoundTrip } from './dlpack-import.ts';
import { dmaMap } from './dma-map.ts';
import { eventCallbackCalls } from './event-callback-calls.ts';
import {
  eventAbandoned,
  eventDestroyedInCallback,
  eventDestroyedInFlight,
  eventDestroyedWhilePending,
} from './event-destroyed-early.ts';
import { eventOddCode } from './event-odd-code.ts';
import {
  eventOnReady,
  eventOnReadyWhenPending,
  eventOnReadyWhenReady,
  eventOnReadyWithError,
} from './event-on-ready.ts';
import { eventWaiting } from './event-waiting.ts';
import { largeArrayComputed, largeArrayRawCopied, largeArrayTransferred } from './large-array.ts';
import {
  rawCopyOfPages,
  rawCopyOfPagesToEnd,
  rawCopyOfRange,
  rawCopyOfWhole,
  rawCopyOutside,
  rawCopyToEnd,
} from './raw-copy.ts';
import { rawFuture, rawFutureFailed, rawFutureOfDeleted, rawFutureOfRange } from './raw-future.ts';
import { viewAliasing } from './view-aliasing.ts';
import { viewCallback, viewWithoutCallback } from './view-callback.ts';
import { viewUnaligned } from './view-unaligned.ts';

/** Probes of this area, by the names of names.ts. */
export const PROBES: Readonly<Record<string, Probe>> = {
  'async-destroyed-after-refusal': asyncDestroyedAfterRefusal,
  'async-pieces': asyncPieces,
  'async-refused': asyncRefused,
  bitcast,
  'dlpack-exchange': dlpackExchange,
  'dlpack-export': dlpackExport,
  'dlpack-export-deleted': dlpackExportDeleted,
  'dlpack-export-twice': dlpackExportTwice,
  'dlpack-import': dlpackImport,
  'dlpack-import-transposed': dlpackImportTransposed,
  'dlpack-import-unaligned': dlpackImportUnaligned,
  'dlpack-round-trip': dlpackRoundTrip,
  'dma-map': dmaMap,
  'event-abandoned': eventAbandoned,
  'event-callback-calls': eventCallbackCalls,
  'event-destroyed-in-callback': eventDestroyedInCallback,
  'event-destroyed-in-flight': eventDestroyedInFlight,
  'event-destroyed-while-pending': eventDestroyedWhilePending,
  'event-odd-code': eventOddCode,
  'event-on-ready': eventOnReady,
  'event-on-ready-when-pending': eventOnReadyWhenPending,
  'event-on-ready-when-ready': eventOnReadyWhenReady,
  'event-on-ready-with-error': eventOnReadyWithError,
  'event-waiting': eventWaiting,
  'large-array-computed': largeArrayComputed,
  'large-array-raw-copied': largeArrayRawCopied,
  'large-array-transferred': largeArrayTransferred,
  'raw-copy-of-pages': rawCopyOfPages,
  'raw-copy-of-pages-to-end': rawCopyOfPagesToEnd,
  'raw-copy-of-range': rawCopyOfRange,
  'raw-copy-of-whole': rawCopyOfWhole,
  'raw-copy-outside': rawCopyOutside,
  'raw-copy-to-end': rawCopyToEnd,
  'raw-future': rawFuture,
  'raw-future-failed': rawFutureFailed,
  'raw-future-of-deleted': rawFutureOfDeleted,
  'raw-future-of-range': rawFutureOfRange,
  'view-aliasing': viewAliasing,
  'view-callback': viewCallback,
  'view-unaligned': viewUnaligned,
  'view-without-callback': viewWithoutCallback,
};
