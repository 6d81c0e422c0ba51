import type { CapturedText } from '../model/case-result.ts';
import type { BadEnd, NoteFact, PluginPart } from '../model/note-fact.ts';
import { seconds } from './deadlines.ts';
import { backtraceText, placeOf } from './debuggers/backtrace.ts';
import type { LiveWorker } from './live-worker.ts';
import { brief } from './output-splitter.ts';
import type { RunContext } from './run-plan.ts';
import type { SanitizerReport } from './sanitizers/report.ts';
import { reportLine } from './sanitizers/with-reports.ts';
import type { Death } from './worker-process.ts';

/** What a warning has besides its message. */
interface Particulars {
  /** The plugin violated a MUST. */
  breach?: boolean;
  stderr?: CapturedText | undefined;
  fact?: NoteFact | undefined;
}

/** Remarks of the run that belong to no case. */
export class RunNotes {
  readonly #emit: RunContext['emit'];
  #debugged = false;

  constructor({ emit }: RunContext) {
    this.#emit = emit;
  }

  warn(message: string, { breach = false, stderr, fact }: Particulars = {}): void {
    const detail = lastLines(stderr).trimStart();
    this.#emit({
      type: 'note',
      level: 'warning',
      message,
      ...(detail ? { detail } : {}),
      ...(breach ? { breach } : {}),
      fact,
    });
  }

  /** An error of the harness itself outside any case: the run has no verdict. */
  failed(message: string, detail: string): void {
    this.#emit({ type: 'note', level: 'error', message, detail, fact: { kind: 'harness' } });
  }

  /** Output that belongs to no case; that of cases is in their results. */
  async output(live: LiveWorker, during: 'load' | PluginPart): Promise<void> {
    for (const [stream, text] of Object.entries(await live.process.output(0))) {
      const { head, tail, omittedBytes } = brief(text);
      const bytes = Buffer.byteLength(text.head + text.tail) + text.omittedBytes;
      const gap = omittedBytes > 0 ? `\n… [${omittedBytes} bytes omitted]\n` : '';
      const message = `${during === 'load' ? 'while the plugin was loaded' : queryOf(during)}: the plugin wrote ${bytes} bytes to ${stream}`;
      const fact = { kind: 'output', during, stream: stream as 'stdout' | 'stderr' } as const;
      this.#emit({ type: 'note', level: 'info', message, detail: `${head}${gap}${tail}`, fact });
    }
  }

  /** The budget of the run was not enough for some of its cases. */
  leftOut(cases: number, of: number): void {
    if (cases === 0) return;
    const message = `${cases} of ${of} cases were left out when the budget of the run was spent, those that detect least per second`;
    this.#emit({ type: 'note', level: 'info', message, fact: { kind: 'budget', cases } });
  }

  /** The devices have been reset, or the command for that has failed. */
  reset({ signal, exitCode, deadlineMs }: BadEnd, ms: number, output: string): void {
    const good = exitCode === 0;
    const how =
      deadlineMs !== undefined
        ? `did not end within ${seconds(deadlineMs)} and was killed`
        : signal !== undefined
          ? `died with ${signal}`
          : `ended with exit code ${exitCode ?? 'unknown'}`;
    const fact = { kind: 'reset', ms, signal, exitCode, deadlineMs } as const;
    const last = good ? undefined : output.trimEnd().split('\n').at(-1);
    const message = `the command that resets the devices ${how} after ${seconds(ms)}${last ? `: ${last}` : ''}`;
    this.#emit({
      type: 'note',
      level: good ? 'info' : 'warning',
      message,
      ...(output ? { detail: output } : {}),
      fact,
    });
  }

  /** What a sanitizer has reported outside of cases: a leak wastes memory, anything else violates a MUST. */
  sanitizer({ process }: LiveWorker, reports: readonly SanitizerReport[], when: string): void {
    for (const [line, { tool, what, text }] of new Map(reports.map((report) => [reportLine(report), report]))) {
      this.#emit({
        type: 'note',
        level: 'warning',
        message: `${line}, in worker ${process.number} ${when}`,
        detail: text,
        ...(tool === 'LeakSanitizer' ? {} : { breach: true }),
        fact: { kind: 'sanitizer', tool, what },
      });
    }
  }

  /** Where a worker was that ended outside any case. */
  backtrace({ process }: LiveWorker, { backtrace }: Death): void {
    const place = backtrace && placeOf(backtrace);
    if (place === undefined) return;
    const message = `worker ${process.number} was in ${place} when it ended`;
    this.#emit({ type: 'note', level: 'warning', message, detail: backtraceText(backtrace!) });
  }

  /** A worker is in a debugger. */
  debugged(name: string): void {
    if (this.#debugged) return;
    this.#debugged = true;
    const message = `the case ran in ${name}, without deadlines: its times say nothing`;
    this.#emit({ type: 'note', level: 'info', message });
  }

  damage({ process }: LiveWorker, after: string): void {
    this.warn(
      `the plugin has damaged the harness's record of its calls in worker ${process.number}; seen after ${after}`,
      { breach: true },
    );
  }

  closedStreams(live: LiveWorker, during: string): void {
    const closed = live.process.takeClosedStreams();
    if (closed.length > 0) {
      const streams = closed.sort().reverse().join(' and ');
      this.warn(
        `the plugin closed ${streams} of worker ${live.process.number}, whose later output is lost; seen after ${during}`,
      );
    }
  }
}

/** The query of a part of a plugin, in words. */
export const queryOf = (part: PluginPart): string => `a query of the plugin's ${part}`;

/** The last lines of an output, each after a line end. */
export const lastLines = (text: CapturedText | undefined): string => {
  const lines = (text ? text.head + text.tail : '').split('\n').filter((l) => l.trim() !== '');
  return lines.length === 0 ? '' : `\n${lines.slice(-20).join('\n')}`;
};
