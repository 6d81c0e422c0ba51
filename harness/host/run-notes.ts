import type { CapturedText } from '../model/case-result.ts';
import type { LiveWorker } from './live-worker.ts';
import { brief } from './output-splitter.ts';
import type { RunContext } from './run-plan.ts';

/** Notes on the run that belong to no case. */
export class RunNotes {
  readonly #emit: RunContext['emit'];

  constructor({ emit }: RunContext) {
    this.#emit = emit;
  }

  /** @param breach the plugin violated a MUST */
  warn(message: string, breach = false, stderr?: CapturedText): void {
    const detail = lastLines(stderr).trimStart();
    this.#emit({
      type: 'note',
      level: 'warning',
      message,
      ...(detail ? { detail } : {}),
      ...(breach ? { breach } : {}),
    });
  }

  /** Output outside of cases; that of cases is in their results. */
  async output(live: LiveWorker, during: string): Promise<void> {
    for (const [stream, text] of Object.entries(await live.process.output(0))) {
      const { head, tail, omittedBytes } = brief(text);
      const bytes = Buffer.byteLength(text.head + text.tail) + text.omittedBytes;
      const gap = omittedBytes > 0 ? `\n… [${omittedBytes} bytes omitted]\n` : '';
      const message = `${during}: the plugin wrote ${bytes} bytes to ${stream}`;
      this.#emit({ type: 'note', level: 'info', message, detail: `${head}${gap}${tail}` });
    }
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

/** The last lines of an output, each preceded by a line end. */
export const lastLines = (text: CapturedText | undefined): string => {
  const lines = (text ? text.head + text.tail : '').split('\n').filter((l) => l.trim() !== '');
  return lines.length === 0 ? '' : `\n${lines.slice(-20).join('\n')}`;
};
