import type { Wait } from '../run/look.ts';
import type { Output } from '../surroundings.ts';

const PATIENCE_MS = 2000;

/** Waits for work; says on a stream what is going on when it takes over two seconds. */
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
