import { mapTexts } from '../base/map-texts.ts';
import type { CapturedText, CaseResult } from '../model/case-result.ts';
import type { CaseRun, Run } from '../model/run.ts';

/** How much text one place may have, in characters: what a plugin says is of any length. */
const BOUNDS: Readonly<Record<string, number>> = { detail: 32 << 10, head: 16 << 10, tail: 32 << 10 };
/** Of other texts: messages, names, reasons. */
const BOUND = 8 << 10;

/** How much text of cases a log and a report may have together; what comes after them is cut to lines. */
export const LOG_TEXT = 64 << 20;
const REPORT_TEXT = 16 << 20;
const SHORT = 200;

/** One line of a text with the size of the rest. */
function shortened(text: string, bound: number, hint: string): string {
  if (text.length <= bound) return text;
  const kept = text.slice(0, bound).replace(/[\ud800-\udbff]$/, '');
  return `${kept} … [${Buffer.byteLength(text.slice(kept.length))} bytes omitted${hint}]`;
}

/** Data whose texts are within their bounds. */
export const withinBounds = <T>(data: T): T =>
  mapTexts(data, (text, name) => shortened(text, BOUNDS[name] ?? BOUND, ''));

/** Counts the text of results, and cuts what exceeds a total. */
export class TextBudget {
  #left: number;
  readonly #hint: string;

  constructor(total: number, hint = '') {
    this.#left = total;
    this.#hint = hint;
  }

  /** A result, with its texts cut if there is no room for more. */
  spent(result: CaseResult): CaseResult {
    this.#left -= sizeOf(result);
    return this.#left >= 0 ? result : this.#briefly(result);
  }

  #briefly({ stdout, stderr, ...result }: CaseResult): CaseResult {
    const brief = mapTexts(result, (text, name) =>
      name === 'detail' && text.length > SHORT
        ? `[${Buffer.byteLength(text)} bytes omitted${this.#hint}]`
        : shortened(text, SHORT, this.#hint),
    );
    return { ...brief, ...(stdout ? { stdout: start(stdout) } : {}), ...(stderr ? { stderr: start(stderr) } : {}) };
  }
}

function start({ head, tail, omittedBytes }: CapturedText): CapturedText {
  const kept = head.slice(0, SHORT);
  return { head: kept, tail: '', omittedBytes: omittedBytes + Buffer.byteLength(head.slice(SHORT) + tail) };
}

function sizeOf(result: CaseResult): number {
  let size = 0;
  mapTexts(result, (text) => {
    size += text.length;
    return text;
  });
  return size;
}

/** A run as reports show it: with no more text than they have room for. The same object if it has no more. */
export function asReported(run: Run, total = REPORT_TEXT): Run {
  const results = [...run.cases.values()].flatMap(({ result }) => result ?? []);
  if (results.reduce((sum, result) => sum + sizeOf(result), 0) <= total) return run;
  const budget = new TextBudget(total, ', see events.jsonl');
  const suites = run.suites.map((suite) => {
    const copy = { ...suite };
    copy.cases = suite.cases.map((item) => {
      return { ...item, suite: copy, ...(item.result ? { result: budget.spent(item.result) } : {}) };
    });
    return copy;
  });
  const cases = new Map(suites.flatMap((suite) => suite.cases.map((item): [string, CaseRun] => [item.plan.id, item])));
  return { ...run, suites, cases };
}
