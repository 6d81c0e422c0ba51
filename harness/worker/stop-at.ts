import type { WorkerSetup } from '../host/wire/protocol.ts';
import { debuggerStop } from './ffi/debugger-stop.ts';
import type { Instrument } from './pjrt/instrument.ts';

/** Calls that a worker makes before its case. */
const OF_START = new Set(['PJRT_Plugin_Initialize', 'PJRT_Client_Create']);

/**
 * Where a debugger is to stop, as what is called before each native call. A named function is one from its first call in the case
 * on, and those of the start always.
 */
export class Stops {
  readonly #instrument: Instrument;
  readonly #call: string | undefined;
  readonly #stop = debuggerStop();
  readonly #known = new Set<bigint>();

  constructor(instrument: Instrument, { call }: NonNullable<WorkerSetup['stopAt']>) {
    this.#instrument = instrument;
    this.#call = call;
    if (call !== undefined && OF_START.has(call)) instrument.approach = this.#approach;
  }

  /** The case begins. */
  begin(): void {
    this.#instrument.approach = this.#approach;
  }

  readonly #approach = (name: string, address: bigint): void => {
    if (this.#call === undefined) this.#instrument.approach = undefined;
    else if (name !== this.#call) return;
    if (this.#known.has(address)) return;
    this.#known.add(address);
    this.#stop(address);
  };
}
