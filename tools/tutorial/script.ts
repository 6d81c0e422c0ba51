import { type Fence, fencesOf } from '../docs/fences.ts';

/** Commands of the tutorial that run together, and what they must print. */
export interface Step {
  /** Text for bash. */
  commands: string;
  /** Exit code of the last command; all before it must succeed. */
  exit: number;
  /** The line of the tutorial. */
  line: number;
  shown: Shown[];
}

/** A part of the output that the tutorial shows. */
export interface Shown {
  text: string;
  /** Where the text is in the document. */
  place: Pick<Fence, 'from' | 'to'>;
  /** Text in the first and in the last line that are shown; without them, from the beginning and to the end. */
  first?: string;
  last?: string;
}

/**
 * The steps of a tutorial. A block `sh` is one step; ` exit=1` after `sh` is its exit code. Blocks `text` after it show its
 * output; ` from="…" to="…"` after `text` choose a part of it.
 * @throws Error for a block of output without commands
 */
export function stepsOf(markdown: string): Step[] {
  const steps: Step[] = [];
  for (const { language, attributes, text, line, from, to } of fencesOf(markdown)) {
    if (language === 'sh') steps.push({ commands: text, exit: Number(attributes.exit ?? 0), line, shown: [] });
    if (language !== 'text') continue;
    const step = steps.at(-1);
    if (step === undefined) throw new Error(`line ${line}: output without commands before it`);
    step.shown.push({ text, place: { from, to }, first: attributes.from, last: attributes.to });
  }
  return steps;
}

const ELISION = '…';

/**
 * The part of an output that the tutorial shows, with `…` for lines that are left out.
 * @throws Error if the output does not have the lines
 */
export function partOf(output: string, { first, last }: Shown): string {
  const lines = output.trimEnd().split('\n');
  const find = (text: string, after: number): number => {
    const index = lines.findIndex((line, at) => at >= after && line.includes(text));
    if (index < 0) throw new Error(`the output has no line with ${JSON.stringify(text)}:\n${output}`);
    return index;
  };
  const begin = first === undefined ? 0 : find(first, 0);
  const end = last === undefined ? lines.length - 1 : find(last, begin);
  const part = lines.slice(begin, end + 1);
  while (part[0] === '') part.shift();
  return [...(begin > 0 ? [ELISION] : []), ...part, ...(end < lines.length - 1 ? [ELISION] : []), ''].join('\n');
}

/**
 * Output without what differs between runs and machines: numbers, times, hashes, widths of columns, estimates of the time left,
 * and which debuggers are installed.
 */
export function comparable(output: string): string {
  return output
    .split('\n')
    .filter((line) => !/^- about .* left/.test(line))
    .map((line) =>
      line
        .replace(/no debugger is installed|debuggers that are installed: .*/, 'DEBUGGERS')
        .replace(/\b[0-9a-f]{12,}\b/g, '#')
        .replace(/\d+(?:[.,]\d+)*/g, '#')
        .replace(/(?:# min )?# (?:ms|s|min)\b/g, 'TIME')
        .replace(/ {2,}/g, ' ')
        .trimEnd(),
    )
    .join('\n')
    .trim();
}

/** The tutorial with other texts for some of the outputs that it shows. */
export function withOutputs(markdown: string, texts: ReadonlyMap<Shown, string>): string {
  return [...texts]
    .sort(([a], [b]) => b.place.from - a.place.from)
    .reduce((text, [{ place }, now]) => text.slice(0, place.from) + now + text.slice(place.to), markdown);
}
