import type { HtmlFinding } from '../../harness/report/html-data.ts';
import type { Row } from './report.ts';

/** Lines by number, and what there is to say of them. */
export type Marks = ReadonlyMap<number, string>;

/** The steps that failed, by their lines in the suite. */
export function stepMarks(row: Pick<Row, 'status'>, findings: readonly HtmlFinding[]): Marks {
  const marks = new Map<number, string>();
  for (const { line, level } of findings) {
    if (line === undefined || level === 'info' || marks.get(line)?.startsWith('fails')) continue;
    const ended = row.status === 'crash' || row.status === 'timeout';
    marks.set(line, level === 'should' && !ended ? 'warns here' : `${ENDED[row.status] ?? 'fails here'}`);
  }
  return marks;
}

const ENDED: Partial<Record<Row['status'], string>> = {
  crash: 'the process died here',
  timeout: 'did not return here',
};

/** A diagnostic of MLIR: `-:4:10: error: 'stablehlo.add' op …`. */
const DIAGNOSTIC = /:(\d+):\d+: error: '([\w.]+)' op/g;

/**
 * Lines of a program that failed: those that the plugin's message names, if the operation that it names is there, and those of
 * the operation whose results differ.
 * @param messages texts that may quote the plugin
 * @param op its name in StableHLO
 */
export function programMarks(text: string, messages: readonly string[], op?: string): Marks {
  const marks = new Map<number, string>();
  const lines = text.split('\n');
  for (const [, number, named] of messages.join('\n').matchAll(DIAGNOSTIC)) {
    if (lines[Number(number) - 1]?.includes(named!)) marks.set(Number(number), 'the plugin names this line');
  }
  if (op === undefined || marks.size > 0) return marks;
  const operation = new RegExp(`\\bstablehlo\\.${op}\\b`);
  const having = lines.flatMap((line, at) => (operation.test(line) ? [at + 1] : []));
  // Of several it would be a guess.
  return having.length === 1 ? new Map([[having[0]!, 'its result differs']]) : marks;
}
