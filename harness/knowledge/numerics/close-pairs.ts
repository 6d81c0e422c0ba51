import { CloseElements, LEFT, WITHIN_ABSOLUTE } from './close-elements.ts';

/** The fast way through complex numbers: both parts must pass. */
export class ClosePairs extends CloseElements {
  readonly #lanes: CloseElements;

  /** @param lanes their parts, one by one @param count complex numbers */
  constructor(lanes: CloseElements, count: number) {
    super(count);
    this.#lanes = lanes;
  }

  distance(element: number): number {
    const re = this.#lanes.distance(2 * element);
    const im = this.#lanes.distance(2 * element + 1);
    if (re === LEFT || im === LEFT) return LEFT;
    if (re === WITHIN_ABSOLUTE || im === WITHIN_ABSOLUTE) return WITHIN_ABSOLUTE;
    return re > im ? re : im;
  }
}
