import { readFileSync } from 'node:fs';

/** What the system says of a living process. */
export interface VitalSigns {
  /** A signal has stopped it, and nothing has continued it. A debugger's stop is none. */
  stopped: boolean;
  /** A debugger has attached to it. */
  traced: boolean;
  /** It has given up its memory, and perhaps waits for a driver to give up the rest. */
  ending: boolean;
  /** The most memory that it has held. */
  peakBytes: number | undefined;
}

/** Undefined if it is gone, or the system does not say (it is not Linux). */
export function vitalSigns(pid: number): VitalSigns | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/status`, 'latin1');
  } catch {
    return undefined;
  }
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(text) ?? [];
  return {
    stopped: /^State:\s+T/m.test(text),
    traced: /^TracerPid:\s+[1-9]/m.test(text),
    ending: kibibytes === undefined,
    peakBytes: kibibytes === undefined ? undefined : Number(kibibytes) * 1024,
  };
}
