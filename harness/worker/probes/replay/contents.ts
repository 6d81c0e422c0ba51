/** Contents of buffers beside the recorded ones. */
import { fromBytes, type HostArray } from '../../../knowledge/numerics/array.ts';
import { dtypeOfEnum } from '../../../knowledge/numerics/dtypes.ts';
import type { CaseContext } from '../../steps/context.ts';
import { rulesOf } from '../../steps/expect.ts';
import { judgeNumbers } from '../../steps/judge-numbers.ts';
import { CheckFailure } from '../../steps/outcome.ts';

/** What is compared, for messages. */
export interface Compared {
  /** `result 0 of jit_step`. */
  what: string;
  call: string;
  /** PJRT_Buffer_Type. */
  type: number;
  dims: readonly number[];
  recorded: Uint8Array;
  here: Uint8Array;
  /** Whether it follows from the same inputs. */
  sameInputs: boolean;
  /** Whether it is what a buffer already has, of which nothing is computed any more. */
  isCopy?: boolean;
}

/** Findings after which further ones are counted only. */
const MOST = 10;

/** Compares contents, and counts. */
export class ContentsJudge {
  readonly #context: CaseContext;
  #compared = 0;
  #equal = 0;
  #differing = 0;
  /** Beyond the profile, where the inputs were others already. */
  #followed = 0;
  /** Others than were recorded, and those that the buffer has here. */
  #copied = 0;

  constructor(context: CaseContext) {
    this.#context = context;
  }

  /** @returns whether the contents are the same, bit by bit */
  compare(one: Compared): boolean {
    this.#compared += 1;
    if (Buffer.compare(one.recorded, one.here) === 0) {
      this.#equal += 1;
      return true;
    }
    const failure = this.#failure(one);
    if (!failure) return false;
    if (!one.sameInputs) {
      this.#followed += 1;
      return false;
    }
    this.#differs(failure, one.call);
    return false;
  }

  #differs(failure: CheckFailure['finding'], call: string): void {
    this.#differing += 1;
    if (this.#differing <= MOST) this.#context.report({ ...failure, call, requirements: ['RPL-DATA-001'] });
  }

  /** A read of what a buffer has here, which is something else than was recorded. */
  compareRead(isRead: boolean, { what, call }: Pick<Compared, 'what' | 'call'>): void {
    if (isRead) this.#copied += 1;
    else this.#differs({ type: 'pjrt.NumericMismatch', message: `${what}: other bytes than its buffer has` }, call);
  }

  /** What is to be said of all that was compared. */
  summary(): string[] {
    const [compared, equal, differing, followed] = [this.#compared, this.#equal, this.#differing, this.#followed];
    const within = compared - equal - differing - followed;
    return [
      `${equal} of ${compared} contents are the same bit by bit, ${within} within the accuracy profile`,
      ...(this.#copied > 0 ? [`${this.#copied} reads of others are what their buffers have`] : []),
      ...(differing > MOST ? [`${differing} are wrong, of which ${MOST} are shown`] : []),
      ...(followed > 0
        ? [
            `${followed} differ beyond it, after inputs that were others already: \`trace programs --every\` compares from the same inputs`,
          ]
        : []),
    ];
  }

  #failure({ what, type, dims, recorded, here, isCopy }: Compared): CheckFailure['finding'] | undefined {
    const dtype = dtypeOfEnum(type);
    if (!dtype || recorded.length !== here.length) {
      const message = `${what}: other bytes than were recorded`;
      return { type: 'pjrt.NumericMismatch', message };
    }
    const array = (bytes: Uint8Array): HostArray => fromBytes(dtype, dims, Uint8Array.from(bytes));
    const expected = array(recorded);
    try {
      const rules = rulesOf(this.#context, expected, isCopy ? 'bits' : { bound: 'program' });
      judgeNumbers(this.#context, { what, expected, actual: array(here), rules });
      return undefined;
    } catch (error) {
      if (error instanceof CheckFailure) return error.finding;
      throw error;
    }
  }
}
