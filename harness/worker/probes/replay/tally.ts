import type { Finding } from '../../../model/finding.ts';
import { type AbsentError, PjrtError } from '../../pjrt/errors.ts';
import type { CaseContext } from '../../steps/context.ts';
import { answerOf, causeOf, NotSupported } from '../../steps/outcome.ts';
import { GIVES_RESULTS } from './policy.ts';
import type { Lack } from './session-objects.ts';

/** Findings about calls after which further ones are counted only. */
const MOST = 10;

/** What became of the calls of a session. */
export class Tally {
  readonly #context: CaseContext;
  readonly #leftOut = new Map<string, number>();
  readonly #unmade = new Map<string, number>();
  /** Why results are missing. */
  #lacksResults: Lack | undefined;
  #wrong = 0;
  issued = 0;
  /** Arguments of executions that were put in the place of what had drifted. */
  restored = 0;
  /** Results that the compiler has cut in another way, in whose place are the recorded ones. */
  cut = 0;
  /** Calls that succeed and were refused when they were recorded. */
  accepted = 0;
  /** Callbacks that had not come where they came when they were recorded. */
  later = 0;

  constructor(context: CaseContext) {
    this.#context = context;
  }

  /** Something that only the recorded process has is left out. */
  leavesOut = (what: string): void => count(this.#leftOut, what);

  /** A call could not be made. @param lack what the plugin did not give before */
  notMade(name: string, why: string, lack: Lack | undefined): void {
    count(this.#unmade, why);
    if (GIVES_RESULTS.has(name)) this.#lacksResults ??= lack;
  }

  /** The plugin does not have a function. */
  lacks(name: string, cause: PjrtError | AbsentError): void {
    const why = `${name}, which the plugin does not have`;
    this.leavesOut(why);
    if (GIVES_RESULTS.has(name)) this.#lacksResults ??= { why, cause };
  }

  /** A call fails that has succeeded when it was recorded. */
  fails(order: number, name: string, error: PjrtError): void {
    const message = `call ${order} of the recording has succeeded there: ${answerOf(error)}`;
    const requirements = ['RPL-CALL-001'];
    this.wrong({ type: 'pjrt.UnexpectedError', message, call: name, code: error.codeName, requirements });
  }

  wrong(finding: Omit<Finding, 'level'>): void {
    this.#wrong += 1;
    if (this.#wrong <= MOST) this.#context.report(finding);
  }

  /**
   * Says what was played.
   * @param contents what is to be said of contents
   * @throws NotSupported, AbsentError if results are missing because of what the plugin does not have
   */
  end(calls: number, contents: readonly string[]): void {
    const parts = [
      `${this.issued} of ${calls} calls were made again`,
      ...contents,
      ...(this.#wrong > MOST ? [`${this.#wrong} answers are not as they should be, of which ${MOST} are shown`] : []),
      ...(this.restored > 0 ? [`${this.restored} arguments were given as they were recorded`] : []),
      ...(this.cut > 0
        ? [`${this.cut} results are cut over devices in another way, and the recorded ones went on`]
        : []),
      ...(this.accepted > 0 ? [`${this.accepted} calls succeed that were refused when they were recorded`] : []),
      ...(this.later > 0 ? [`${this.later} callbacks came later than when they were recorded`] : []),
    ];
    const detail = [...listed('left out', this.#leftOut), ...listed('not made', this.#unmade)].join('\n');
    this.#context.report({ type: 'pjrt.Replay', level: 'info', message: parts.join('; '), ...(detail && { detail }) });
    if (this.#lacksResults === undefined || this.#wrong > 0) return;
    const { why, cause } = this.#lacksResults;
    if (!cause) throw new NotSupported(why);
    throw cause instanceof PjrtError ? new NotSupported(answerOf(cause), causeOf(cause)) : cause;
  }
}

const count = (counts: Map<string, number>, what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);

const listed = (what: string, counts: ReadonlyMap<string, number>): string[] =>
  counts.size === 0 ? [] : [`${what}: ${[...counts].map(([one, times]) => `${one} (${times})`).join(', ')}`];
