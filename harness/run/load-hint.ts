import { bytesInMemory } from './byte-source.ts';
import { fileKind, type Host, unloadable } from './file-kind.ts';

/**
 * Says what may be behind a failed load, from the beginning of the file (64 bytes or more) and the loader's message.
 * @returns undefined where the message says everything
 */
export function loadHint(message: string, head: Uint8Array, host: Host): string | undefined {
  const why = unloadable(fileKind(bytesInMemory(head)), host);
  if (why !== undefined) return `the file is ${why}`;
  if (/undefined symbol/.test(message)) {
    return 'no library that the plugin is linked with defines it; if it is a function, `--binding lazy` loads the plugin all the same, as frameworks do';
  }
  if (/version `[^']*' not found/.test(message)) return 'the plugin was built for newer system libraries than these';
  if (/: cannot open shared object file/.test(message)) {
    return 'a library that the plugin needs is not where the loader searches: `pjrt-conformance doctor` shows which, and where';
  }
  return undefined;
}
