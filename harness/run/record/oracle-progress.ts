import type { Output } from '../../base/environment.ts';

const REDRAW_MS = 200;

/** Shows how far an oracle is; one line without a terminal, nothing if quiet. */
export function createOracleProgress(
  stream: Output,
  oracle: string,
  total: number,
  quiet: boolean,
): { update: (answered: number) => void; done: () => void } {
  const title = `asking ${oracle} for the expected results of ${total} programs`;
  let drawn = 0;
  if (!quiet && !stream.isTTY) stream.write(`${title} …\n`);
  return {
    update: (answered) => {
      const time = performance.now();
      if (quiet || !stream.isTTY || time - drawn < REDRAW_MS) return;
      drawn = time;
      stream.write(`\r\u001b[2K${title}: ${answered}`);
    },
    done: () => {
      if (drawn > 0) stream.write('\r\u001b[2K');
    },
  };
}
