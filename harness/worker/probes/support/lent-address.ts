import type { Buffer } from '../../pjrt/buffer.ts';
import type { CaseContext } from '../../steps/context.ts';
import { ifOffered } from '../../steps/device-format.ts';

/** The address of a buffer's memory, which stays there until the end of the case: by a reference, where the plugin has any. */
export function lentAddress({ scope }: CaseContext, buffer: Buffer): bigint {
  const isKept = ifOffered(() => {
    buffer.addReference();
    return true;
  });
  if (isKept) scope.defer(() => buffer.dropReference());
  return buffer.opaquePointer();
}
