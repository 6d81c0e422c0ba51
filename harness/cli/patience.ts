const PATIENCE_MS = 2000;

/** Waits for work; says what is going on when it takes over two seconds. */
export async function withPatience<T>(stream: NodeJS.WriteStream, what: string, work: Promise<T>): Promise<T> {
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
}
