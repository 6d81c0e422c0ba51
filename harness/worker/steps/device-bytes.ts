import type { HostArray } from '../../knowledge/numerics/array.ts';
import type { CaseContext } from './context.ts';
import { ifOffered, isHostLike, rawContents } from './device-format.ts';
import { NotSupported } from './outcome.ts';
import { startPut } from './transfer.ts';

/**
 * The bytes of an array in the format of the device, for functions that take them so. A device unlike the host has to show
 * them itself.
 * @throws NotSupported when it does not
 */
export function deviceBytes(context: CaseContext, array: HostArray): Uint8Array {
  const buffer = startPut(context, array, { semantics: 'during-call' });
  if (isHostLike(buffer, array.bytes.length)) return array.bytes;
  const raw = ifOffered(() => rawContents(context, buffer));
  if (raw) return raw;
  throw new NotSupported(
    `data must be sent in the format of the device, which is not that of the host, and PJRT_Buffer_CopyRawToHost does not show it`,
  );
}
