import { writeSync } from 'node:fs';
import type { Instrument } from '../pjrt/instrument.ts';
import { callLine } from '../wire/protocol.ts';

/** Traces every native call on stderr, before it begins, so that the trace survives the death of the process. */
export const callTrace =
  (marker: string): NonNullable<Instrument['trace']> =>
  (name, after) => {
    const text = after ? `${name} ${after.answer} in ${after.ms.toFixed(3)} ms` : name;
    try {
      writeSync(2, callLine(marker, text.replace(/[\x00-\x1f]+/g, ' ')));
    } catch {
      // A plugin may have closed the stream; the trace is then lost, like its output.
    }
  };
