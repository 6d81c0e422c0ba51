import { functionAt } from '../../ffi/function.ts';
import type { PjrtApi } from '../../pjrt/api.ts';
import type { Call } from '../../pjrt/call.ts';
import { readData } from '../../pjrt/strings.ts';
import { CheckFailure } from '../../steps/outcome.ts';

/**
 * Calls a function that returns bytes together with an object that keeps them and a deleter: copies the bytes and calls
 * the deleter once.
 * @param object field of the object; its deleter is `<object>_deleter`
 */
export function readSerialized(api: PjrtApi, name: string, object: string, fill: (call: Call) => void): Uint8Array {
  return api.invoke(name, fill, (call) => {
    const deleter = call.word(`${object}_deleter`);
    if (deleter === 0n) {
      throw new CheckFailure({
        type: 'pjrt.BadData',
        message: `${name} gave no deleter for ${object}; frameworks call it without asking`,
        call: name,
      });
    }
    const size = call.size('serialized_bytes_size');
    const bytes = readData(call.word('serialized_bytes'), size);
    const kept = call.word(object);
    api.instrument.native(`${name}.${object}_deleter`, () =>
      functionAt(deleter, 'void PjrtDeleter(void* object)')(kept),
    );
    return bytes;
  });
}
