import { CloseTally, COUNTED, type Tally } from './close-tally.ts';
import { type CloseElements, type LaneDistances, LEFT, WITHIN_ABSOLUTE } from './closeness.ts';

/** The fast way through complex numbers: both parts must pass. */
export class ClosePairs implements CloseElements {
  readonly #lanes: LaneDistances;
  readonly #count: number;
  readonly #tally = new CloseTally();

  /** @param count complex numbers */
  constructor(lanes: LaneDistances, count: number) {
    this.#lanes = lanes;
    this.#count = count;
  }

  skip(from: number): number {
    const [lanes, tally] = [this.#lanes, this.#tally];
    for (let i = from; i < this.#count; i++) {
      const re = lanes.distance(2 * i);
      const im = lanes.distance(2 * i + 1);
      if (re === LEFT || im === LEFT) return i;
      if (re === WITHIN_ABSOLUTE || im === WITHIN_ABSOLUTE) {
        tally.absolute++;
        continue;
      }
      const distance = re > im ? re : im;
      tally.counts[distance <= COUNTED ? distance : COUNTED + 1]!++;
      if (distance > tally.maxUlp || tally.maxUlpIndex < 0) {
        tally.maxUlp = distance;
        tally.maxUlpIndex = i;
      }
    }
    return this.#count;
  }

  addTo(tally: Tally): void {
    this.#tally.addTo(tally);
  }
}
