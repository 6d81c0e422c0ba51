/** A frame as gdb writes it. */
export interface GdbFrame {
  address: bigint;
  function?: string;
  file?: string;
  line?: number;
}

/** What is not a function: the kernel has put it between what the signal has interrupted and its handler. */
export const SIGNAL = '<signal handler called>';

/** Frames of one stack. */
export const MOST_STACK = 64;

/** The command that writes the stacks of all threads, in a form that is the same in all versions (GDB/MI). */
export const ALL_STACKS = `thread apply all -ascending -q interpreter-exec mi "-stack-list-frames 0 ${MOST_STACK - 1}"`;

const STACK = /^\^done,stack=\[(.*)\]$/;
const FRAME = /frame=\{((?:[a-z-]+="(?:[^"\\]|\\.)*",?)*)\}/g;
const FIELD = /([a-z-]+)="((?:[^"\\]|\\.)*)"/g;

/** The stacks of the threads in the output of {@link ALL_STACKS}, the first thread first. What is none is left out. @param output as Latin-1 */
export const gdbStacks = (output: string): GdbFrame[][] =>
  output.split('\n').flatMap((line) => {
    const [, frames] = STACK.exec(line.trimEnd()) ?? [];
    return frames === undefined ? [] : [[...frames.matchAll(FRAME)].flatMap(([, fields]) => frameOf(fields!))];
  });

function frameOf(text: string): GdbFrame[] {
  const fields = new Map([...text.matchAll(FIELD)].map(([, name, value]) => [name!, plain(value!)]));
  const address = fields.get('addr') ?? '';
  if (!/^0x[0-9a-f]{1,16}$/.test(address)) return [];
  const [name, file, line] = [fields.get('func'), fields.get('file'), Number(fields.get('line'))];
  return [
    {
      address: BigInt(address),
      ...(name === undefined || name === '??' ? {} : { function: name }),
      ...(file === undefined ? {} : { file }),
      ...(file !== undefined && Number.isSafeInteger(line) && line > 0 ? { line } : {}),
    },
  ];
}

/** A string of C: bytes that are not printable are octal numbers. */
const plain = (text: string): string =>
  Buffer.from(
    text.replace(/\\([0-7]{3}|.)/g, (_, code: string) =>
      code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8) & 0xff) : (CONTROLS[code] ?? code),
    ),
    'latin1',
  ).toString('utf8');

const CONTROLS: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', f: '\f', b: '\b', e: '\x1b' };
