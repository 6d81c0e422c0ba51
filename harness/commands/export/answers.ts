/** What a program expects of the answers of its calls. */
import type { CallLine, FindingLine, LeaveLine, RecordedLine } from '../../model/call-recording.ts';
import type { Made } from './judgement.ts';

/** Findings about whether a call succeeded, or with which error it failed. */
const OF_ANSWERS = ['pjrt.UnexpectedError', 'pjrt.MissingError', 'pjrt.WrongError', 'pjrt.NotOffered'] as const;

/** What is expected of the next calls, and what the finding says of one. */
export class Answers {
  readonly #lines: readonly RecordedLine[];
  readonly #finding: FindingLine | undefined;
  readonly #left: ReadonlyMap<number, LeaveLine>;
  readonly #expected: { call: string; error: string }[] = [];

  constructor(lines: readonly RecordedLine[], finding: FindingLine | undefined, left: ReadonlyMap<number, LeaveLine>) {
    this.#lines = lines;
    this.#finding = finding;
    this.#left = left;
  }

  /** The next call of a function must fail, or may. */
  expects(line: { call: string; error: string }): void {
    this.#expected.push(line);
  }

  /**
   * What is done with the answer of a call.
   * @param answer the expression that has it
   * @returns `shows`: whether the program fails there as the case did
   */
  judged(made: Made, answer: string): { statements: string[]; shows: boolean } {
    const failed = made.left!.answer !== '0';
    const expected = this.#expected.findLastIndex(({ call }) => call === made.name);
    const error = expected < 0 ? undefined : this.#expected.splice(expected, 1)[0]!.error;
    const about = this.#restsOn(made);
    if (about === 'pjrt.UnexpectedError' || about === 'pjrt.NotOffered')
      return { statements: [`succeeds(${answer});`], shows: true };
    if (about === 'pjrt.MissingError' || (about === 'pjrt.WrongError' && error !== undefined))
      return { statements: [`fails(${answer}, ${codeOf(error)});`], shows: true };
    const code = this.#finding?.code;
    if (about === 'pjrt.WrongError' && code !== undefined)
      return { statements: [`fails_otherwise(${answer}, ${codeOf(code)});`], shows: true };
    // Where an error is as good as success, another plugin may give one.
    if (!failed)
      return { statements: [`${error === undefined ? 'succeeds' : 'succeeded_before'}(${answer});`], shows: false };
    const how =
      error === undefined || about === 'pjrt.WrongError'
        ? `failed_before(${answer})`
        : `fails(${answer}, ${codeOf(error)})`;
    const name = `error_${made.number}`;
    return { statements: [`PJRT_Error *${name} = ${how};`, `(void)${name};`], shows: false };
  }

  /** What the finding says of the answer of this very call: the last of its function before it. */
  #restsOn({ n, name, left }: Made): (typeof OF_ANSWERS)[number] | undefined {
    const finding = this.#finding;
    const type = OF_ANSWERS.find((one) => one === finding?.type);
    if (!finding || !type || finding.call !== name) return undefined;
    const before = this.#lines.indexOf(finding);
    const failed = left!.answer !== '0';
    if (failed === (type === 'pjrt.MissingError')) return undefined;
    const last = this.#lines.findLast(
      (line, i): line is CallLine =>
        i < before && line.k === 'call' && line.name === name && (this.#left.get(line.n)?.answer !== '0') === failed,
    );
    return last?.n === n ? type : undefined;
  }
}

/** The code of an error in C; 0 for any. */
const codeOf = (error: string | undefined): number | string =>
  error === undefined || error === 'any' ? 0 : `PJRT_Error_Code_${error}`;
