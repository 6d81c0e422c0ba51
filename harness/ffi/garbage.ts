import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/** Collects JavaScript garbage, so that the memory of the process shows what the plugin holds. */
export function collectGarbage(): void {
  if (!collect) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  // Twice: finalizers of the first collection release native memory.
  collect();
  collect();
}
