import { Abi, NEWEST_MINOR } from '../knowledge/abi/index.ts';
import { type Deadlines, seconds } from './deadlines.ts';

/** Calls that use the device, besides those that start work: the first of them may compile or load kernels. */
const WORK = new Set([
  'PJRT_Compile',
  'PJRT_Client_Compile',
  'PJRT_Client_Load',
  'PJRT_Executable_DeserializeAndLoad',
  'PJRT_Client_CreateBuffersForAsyncHostToDevice',
  'PJRT_Event_Await',
]);

const NEWEST = Abi.at(NEWEST_MINOR);

const usesDevice = (name: string): boolean => WORK.has(name) || NEWEST.startsWork(name);

/** Number of missed ordinary deadlines of a function before it gets the deadline of first calls, once. */
const STRIKES = 3;

/** Deadline of calls and cases as a multiple of the slowest call that returned. */
const SLOWER = 10;

/**
 * What a run learns about the speed of its plugin: a slow one must not be taken for one that hangs, and one that hangs must
 * not cost the longest deadline again and again.
 */
export class Leniency {
  readonly #say: (message: string) => void;
  /** Functions that did not return within the deadline of first calls. */
  readonly #hanging = new Set<string>();
  readonly #strikes = new Map<string, number>();
  #slowest = 0;

  /** @param say reports a note on the run */
  constructor(say: (message: string) => void) {
    this.#say = say;
  }

  /** One that knows the same, and from which this one learns nothing: for processes that earlier cases may have harmed. */
  apart(): Leniency {
    const copy = new Leniency(() => {});
    copy.#slowest = this.#slowest;
    for (const name of this.#hanging) copy.#hanging.add(name);
    return copy;
  }

  /** Minimum deadline of a call or a case, in milliseconds. */
  get atLeast(): number {
    return SLOWER * this.#slowest;
  }

  /**
   * Whether a call gets the deadline of a first one.
   * @param untried whether the function has not succeeded yet in its process
   */
  grants(name: string, untried: boolean): boolean {
    if (this.#hanging.has(name)) return false;
    return (untried && usesDevice(name)) || this.#strikes.get(name) === STRIKES;
  }

  /** A call has returned. */
  back(ms: number): void {
    this.#slowest = Math.max(this.#slowest, ms);
  }

  /** A call has missed its deadline: that of first calls if that was `granted`, else the ordinary one. */
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
