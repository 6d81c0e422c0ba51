import type { PjrtApi } from '../../pjrt/api.ts';
import type { Call } from '../../pjrt/call.ts';
import { deleterOf } from '../../pjrt/deleter.ts';
import { readData } from '../../pjrt/strings.ts';
import { violated } from '../support/checks.ts';

/** Calls a function that returns serialized bytes, copies them, and frees what keeps them, once, with its deleter. */
export function readSerialized(api: PjrtApi, name: string, fill: (call: Call) => void): Uint8Array {
  return api.invoke(name, fill, (call) => {
    const keeper = call.layout.field('serialized_bytes').keeper!;
    const free = deleterOf(api.instrument, call, keeper);
    if (!free) {
      violated(
        `${name} gave no deleter for ${keeper}; frameworks call it without asking`,
        name,
        undefined,
        'pjrt.BadData',
      );
    }
    const bytes = readData(call.word('serialized_bytes'), call.count('serialized_bytes'));
    free();
    return bytes;
  });
}
