import type { Probe } from '../../steps/steps.ts';
import { asyncPieces } from './async-pieces.ts';
import { asyncRefused } from './async-refused.ts';
import { bitcast } from './bitcast.ts';
import { sharedReads, sharedReadyEvents } from './concurrent-use.ts';
import { dlpackExchange } from './dlpack-exchange.ts';
import { dmaMap } from './dma-map.ts';
import { eventCallbackCalls } from './event-callback-calls.ts';
import { eventDestroyedEarly } from './event-destroyed-early.ts';
import { eventOddCode } from './event-odd-code.ts';
import { eventOnReady } from './event-on-ready.ts';
import { eventWaiting } from './event-waiting.ts';
import { executeBeforeData } from './execute-before-data.ts';
import { rawCopy } from './raw-copy.ts';
import { rawFuture } from './raw-future.ts';
import { viewAliasing } from './view-aliasing.ts';
import { viewCallback } from './view-callback.ts';

/** Probes of this area, by the names of names.ts. */
export const PROBES: Readonly<Record<string, Probe>> = {
  'async-pieces': asyncPieces,
  'async-refused': asyncRefused,
  bitcast,
  'dlpack-exchange': dlpackExchange,
  'dma-map': dmaMap,
  'event-callback-calls': eventCallbackCalls,
  'event-destroyed-early': eventDestroyedEarly,
  'event-odd-code': eventOddCode,
  'event-on-ready': eventOnReady,
  'event-waiting': eventWaiting,
  'execute-before-data': executeBeforeData,
  'raw-copy': rawCopy,
  'raw-future': rawFuture,
  'shared-reads': sharedReads,
  'shared-ready-events': sharedReadyEvents,
  'view-aliasing': viewAliasing,
  'view-callback': viewCallback,
};
