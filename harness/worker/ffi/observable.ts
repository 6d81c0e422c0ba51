/** Something that happens in the harness, of which one other part may want to know, as a recording does. Mostly nobody does. */
export class Observable<Facts extends readonly unknown[]> {
  #observer: ((...facts: Facts) => void) | undefined;

  /** Takes the place of whoever has observed it. */
  observe(observer: (...facts: Facts) => void): void {
    this.#observer = observer;
  }

  /** It happens. */
  report(...facts: Facts): void {
    this.#observer?.(...facts);
  }
}
