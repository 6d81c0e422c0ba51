import { eventLoopRecorder } from './event-loop-recorder.ts';
import { nativeRecorder } from './native-recorder.ts';
import { Observable } from './observable.ts';
import type { Recorder, RecorderOptions } from './recording.ts';

/**
 * Makes a recorder. It is native code (recorder.c): any thread can call it while JavaScript is inside a call of its own, and
 * the inner calls are made by that thread. Where the package has no such code for the system, or all of it is in use,
 * JavaScript does the same on its own thread, once the event loop runs.
 */
export function record(options: RecorderOptions = {}): Recorder {
  const recorder = nativeRecorder(options) ?? eventLoopRecorder(options);
  recorders.report(recorder, options);
  return recorder;
}

/** Recorders that are made. */
export const recorders = new Observable<[recorder: Recorder, options: RecorderOptions]>();
