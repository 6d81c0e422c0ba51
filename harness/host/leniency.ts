import { type Deadlines, seconds } from './deadlines.ts';

/** Calls that put the device to work: behind the first of them a compiler may hide, or the loading of kernels. */
const WORK = new Set([
  'PJRT_Compile',
  'PJRT_Client_Compile',
  'PJRT_Client_Load',
  'PJRT_Executable_DeserializeAndLoad',
  'PJRT_LoadedExecutable_Execute',
  'PJRT_Client_BufferFromHostBuffer',
  'PJRT_Buffer_ToHostBuffer',
  'PJRT_Event_Await',
]);

/** Times that a function may miss the ordinary deadline before it is given the one of first calls, once. */
const STRIKES = 3;

/** How many times as long as the slowest call that has come back a call or a case may take. */
const SLOWER = 10;

/**
 * What a run learns of how slow its plugin is: a slow one must not be taken for one that hangs, and one that hangs must not
 * cost the longest deadline again and again.
 */
export class Leniency {
  readonly #say: (message: string) => void;
  /** Functions that did not come back within the deadline of first calls. */
  readonly #hanging = new Set<string>();
  readonly #strikes = new Map<string, number>();
  #slowest = 0;

  /** @param say tells a remark of the run */
  constructor(say: (message: string) => void) {
    this.#say = say;
  }

  /** Milliseconds that a call or a case may take at least. */
  get atLeast(): number {
    return SLOWER * this.#slowest;
  }

  /**
   * Whether a call may take as long as a first one.
   * @param untried whether the function has not succeeded yet in its process
   */
  grants(name: string, untried: boolean): boolean {
    if (this.#hanging.has(name)) return false;
    return (untried && WORK.has(name)) || this.#strikes.get(name) === STRIKES;
  }

  /** A call has come back. */
  back(ms: number): void {
    this.#slowest = Math.max(this.#slowest, ms);
  }

  /** A call has missed the deadline of first calls, if that was `granted`, or the ordinary one. */
  missed(name: string, granted: boolean, { first, call }: Deadlines): void {
    const strikes = this.#strikes.get(name) ?? 0;
    if (granted) {
      this.#hanging.add(name);
      if (strikes === STRIKES) this.#say(`${name} did not return within ${seconds(first)} either: it hangs`);
      return;
    }
    if (strikes === STRIKES) return;
    this.#strikes.set(name, strikes + 1);
    if (strikes + 1 === STRIKES && first > call && !this.#hanging.has(name)) {
      this.#say(
        `${name} missed its deadline ${STRIKES} times; its next call gets ${seconds(first)}, to find out whether it hangs or is slow`,
      );
    }
  }
}
