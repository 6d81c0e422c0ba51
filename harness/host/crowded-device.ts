import type { CapturedText, CaseResult } from '../model/case-result.ts';

/** How plugins and drivers say that memory ran out. */
const OUT_OF_MEMORY = /RESOURCE_EXHAUSTED|OUT_OF_MEMORY|out of memory/i;

/** Repetitions in a row that were no better, after which none is made: memory is not what is short. */
const MAX_VAIN = 5;

/**
 * Workers share the memory of a device, and a plugin may take most of it when it starts: that a case runs out of it beside other
 * workers is no verdict on the plugin until the case was alone.
 */
export class CrowdedDevice {
  #vain = 0;
  #crowded = false;

  /** Whether a case was better off alone: the rest of the run has one worker. */
  get crowded(): boolean {
    return this.#crowded;
  }

  /** Whether a result may be the work of other workers. */
  doubts(result: CaseResult): boolean {
    return this.#vain < MAX_VAIN && ranOut(result);
  }

  /** A case that ran out of memory has run alone. @returns whether that is the first time that it helped */
  compare(result: CaseResult): boolean {
    const helped = !ranOut(result);
    this.#vain = helped ? 0 : this.#vain + 1;
    const first = helped && !this.#crowded;
    this.#crowded ||= helped;
    return first;
  }
}

function ranOut({ status, findings, reason, stderr }: CaseResult): boolean {
  if (status === 'pass' || status === 'skip') return false;
  const said = findings.flatMap(({ code, said: text, detail }) => [code, text, detail]);
  const output: Partial<CapturedText> = status === 'crash' ? (stderr ?? {}) : {};
  return [reason, ...said, output.head, output.tail].some((text) => text !== undefined && OUT_OF_MEMORY.test(text));
}
