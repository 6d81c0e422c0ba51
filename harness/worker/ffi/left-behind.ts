import koffi from 'koffi';
import { c } from './libc.ts';

/** `__lsan_ignore_object` of sanitizer/lsan_interface.h; undefined where no LeakSanitizer is in the process. */
const ignore = ((): ((object: bigint) => void) | undefined => {
  const address = process.platform === 'linux' ? c.dlsym(0n, '__lsan_ignore_object') : null;
  if (address === null) return undefined;
  return koffi.decode(address, koffi.proto('void LsanIgnoreObject(void* object)')) as (object: bigint) => void;
})();

/** An object of the plugin is left behind on purpose: it, and what it leads to, is no leak of the plugin. */
export function leaveBehind(object: bigint): void {
  ignore?.(object);
}
