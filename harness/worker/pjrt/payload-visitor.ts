import { record } from '../ffi/recorder.ts';
import type { ErrorPayload } from './errors.ts';

/** The visitor of PJRT_Error_ForEachPayload; one serves many visits, one after the other. */
export class PayloadVisitor {
  readonly #recorder = record({ copying: true });
  readonly address = this.#recorder.address;

  /** Before a visit: forgets the last one. */
  reset(): void {
    this.#recorder.reset();
  }

  /** The payloads of the visit, in the order of its calls; at most 64. */
  payloads(): ErrorPayload[] {
    const texts = this.#recorder.copies().map((bytes) => Buffer.from(bytes).toString('utf8'));
    return Array.from({ length: texts.length / 2 }, (_, i) => ({ key: texts[2 * i]!, value: texts[2 * i + 1]! }));
  }

  /** The user arguments that it was called with. */
  users(): bigint[] {
    return this.#recorder.firings().map((firing) => firing.arguments[4]!);
  }
}
