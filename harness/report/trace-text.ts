import { cleanLine } from '../base/sanitize.ts';
import type { CallTrace } from '../model/case-result.ts';

/** Trace lines in text reports; the log and the HTML report have every call. */
const LINES = 12;

/** The last native calls of a case, in words. */
export interface TraceText {
  /** `the last 12 of 40 native calls`. */
  title: string;
  /** Oldest first; successive calls with the same answer are one. */
  calls: { text: string; durationMs: number | undefined }[];
}

/** The end of a trace, cleaned; undefined if there were no calls. */
export function traceText(trace: CallTrace | undefined): TraceText | undefined {
  if (!trace || trace.calls.length === 0) return undefined;
  const runs: { call: string; answer: string; times: number; durationMs: number | undefined }[] = [];
  for (const { call, answer, durationMs } of trace.calls) {
    const words = answerWords(answer);
    const last = runs.at(-1);
    if (last?.call === call && last.answer === words) {
      last.times++;
      last.durationMs = (last.durationMs ?? 0) + (durationMs ?? 0);
    } else runs.push({ call, answer: words, times: 1, durationMs });
  }
  const shown = runs.slice(-LINES);
  const count = shown.reduce((sum, { times }) => sum + times, 0);
  const total = trace.before + trace.calls.length;
  return {
    title: count === total ? `${total} native calls` : `the last ${count} of ${total} native calls`,
    calls: shown.map(({ call, answer, times, durationMs }) => ({
      text: cleanLine(`${call}${times > 1 ? ` × ${times}` : ''}: ${answer}`),
      durationMs,
    })),
  };
}

function answerWords(answer: string | undefined): string {
  if (answer === 'DEATH') return 'the process died in it';
  if (answer === 'HANG') return 'it did not return';
  return answer ?? 'still running on another thread';
}
