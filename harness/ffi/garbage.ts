import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/** Frees what JavaScript no longer uses, so that a look at the process's memory shows what the plugin holds. */
export function collectGarbage(): void {
  if (!collect) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  // Twice: finalizers of the first round let go of native memory.
  collect();
  collect();
}
