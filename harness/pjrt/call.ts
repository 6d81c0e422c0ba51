import type { StructLayout } from '../abi/index.ts';
import type { NativeFunction } from '../ffi/function.ts';
import { type GuardedBlock, guardedBlock } from '../ffi/memory.ts';
import type { CallerStructs } from './caller-structs.ts';
import type { Instrument } from './instrument.ts';
import { StructView } from './struct-view.ts';

/** How a call's returned error pointer becomes an exception. */
export type TakeError = (error: bigint, call: string) => Error;

/**
 * One argument block of one function, used again and again: fill, run, read. Every native call of the object model goes
 * through `run` or `runAsync`: they write the breadcrumb, time the call, check the canary and turn errors into exceptions.
 */
export class Call extends StructView {
  readonly name: string;
  readonly address: bigint;
  /** Where the call waits between uses. */
  readonly home: Call[];
  readonly #block: GuardedBlock;
  readonly #native: NativeFunction;
  readonly #returnsError: boolean;
  readonly #instrument: Instrument;
  readonly #takeError: TakeError;
  readonly #id: number;
  #worked = false;
  readonly #structs: CallerStructs | undefined;
  readonly #declared: number | undefined;

  constructor(
    name: string,
    layout: StructLayout,
    native: NativeFunction,
    returnsError: boolean,
    instrument: Instrument,
    takeError: TakeError,
    home: Call[] = [],
    structs?: CallerStructs,
  ) {
    const block = guardedBlock(layout.size + (structs?.extraBytes(layout) ?? 0), instrument.guard);
    super(layout, block.view);
    this.name = name;
    this.address = block.address;
    this.home = home;
    this.#structs = structs;
    this.#declared = structs?.declared(layout);
    this.#block = block;
    this.#native = native;
    this.#returnsError = returnsError;
    this.#instrument = instrument;
    this.#takeError = takeError;
    this.#id = instrument.breadcrumb?.id(name) ?? 0;
  }

  /** Zeroes the arguments and declares their size as the caller does that the harness acts as. */
  override reset(structSize?: number): void {
    super.reset(structSize ?? this.#declared);
    this.#structs?.attach(this);
  }

  /** The bytes of the argument block, for tests that poison or compare them. */
  get bytes(): Uint8Array {
    return this.#block.bytes;
  }

  /**
   * Calls the function on this thread.
   * @throws PjrtError when the plugin answers with an error
   */
  run(): void {
    const instrument = this.#instrument;
    const crumb = instrument.breadcrumb;
    crumb?.enter(this.#id);
    const start = performance.now();
    const error = this.#native(this.address);
    instrument.nativeMs += performance.now() - start;
    instrument.calls++;
    crumb?.leave();
    if (!this.#block.intact()) this.#overwritten();
    if (error !== null && this.#returnsError) throw this.#takeError(error, this.name);
    if (!this.#worked) this.#succeeded();
  }

  /** Calls the function on another thread, so that callbacks into JavaScript can run meanwhile. */
  runAsync(): Promise<void> {
    const instrument = this.#instrument;
    const crumb = instrument.breadcrumb;
    crumb?.pending(this.#id);
    const start = performance.now();
    return new Promise((resolve, reject) => {
      this.#native.async(this.address, (failure, error) => {
        instrument.nativeMs += performance.now() - start;
        instrument.calls++;
        crumb?.pending(undefined);
        if (!this.#block.intact()) this.#overwritten();
        if (failure) reject(failure);
        else if (error !== null && this.#returnsError) reject(this.#takeError(error, this.name));
        else {
          this.#succeeded();
          resolve();
        }
      });
    });
  }

  #succeeded(): void {
    this.#worked = true;
    this.#instrument.answered(this.name, 'OK');
  }

  #overwritten(): void {
    this.#instrument.onFinding({
      type: 'pjrt.MemoryOverrun',
      level: 'must',
      message: `${this.name} wrote into memory before its argument struct`,
      call: this.name,
      requirements: ['ABI-ARGS-002'],
    });
  }
}
