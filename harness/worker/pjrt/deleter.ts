import { functionAt } from '../ffi/function.ts';
import type { Call } from './call.ts';
import type { Instrument } from './instrument.ts';

/**
 * Frees what a call has returned in an output, with the deleter that came with it. Both are read now, because the argument
 * block may be reused before.
 * @returns undefined where the plugin gave no deleter
 */
export function deleterOf(instrument: Instrument, call: Call, output: string): (() => void) | undefined {
  const field = call.layout.field(output).deleter;
  if (field === undefined) throw new Error(`${call.layout.name}.${output} has no deleter`);
  const [object, deleter] = [call.word(output), call.word(field)];
  if (deleter === 0n) return undefined;
  return () => {
    instrument.recording?.function(`${call.name}.${field}`, deleter, [object]);
    const run = functionAt(deleter, 'void PjrtDeleter(void* object)');
    instrument.native(`${call.name}.${field}`, () => run(object), true);
  };
}
