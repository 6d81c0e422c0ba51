import type { Output } from '../base/environment.ts';
import type { Wait } from '../run/plugin/load-plugin.ts';

const PATIENCE_MS = 2000;

/** Awaits work, and reports on a stream what is being waited for if it takes over two seconds. */
export const patientlyOn =
  (stream: Output): Wait =>
  async (what, work) => {
    let timer: NodeJS.Timeout | undefined;
    let drawn = false;
    const began = performance.now();
    const draw = (): void => {
      const seconds = Math.round((performance.now() - began) / 1000);
      if (stream.isTTY) stream.write(`\r\u001b[2K${what}, ${seconds} s …`);
      else if (!drawn) stream.write(`${what} …\n`);
      drawn = true;
    };
    const wait = setTimeout(() => {
      draw();
      timer = setInterval(draw, 1000);
    }, PATIENCE_MS);
    try {
      return await work;
    } finally {
      clearTimeout(wait);
      clearInterval(timer);
      if (drawn && stream.isTTY) stream.write('\r\u001b[2K');
    }
  };
