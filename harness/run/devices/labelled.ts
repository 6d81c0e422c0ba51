import type { Output } from '../../base/environment.ts';

/** A stream that begins each line with a label: for several runs that print at the same time. */
export function labelled(stream: Output, label: string): Output & { end(): void } {
  let rest = '';
  const write = (text: string): void => {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    for (const line of lines) stream.write(line === '' ? '\n' : `${label}${line}\n`);
  };
  return {
    write,
    isTTY: false,
    /** Writes a line that has no end yet. */
    end: () => {
      if (rest !== '') write('\n');
    },
  };
}
