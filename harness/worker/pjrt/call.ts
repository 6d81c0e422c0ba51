import type { StructLayout } from '../../knowledge/abi/index.ts';
import { asanStacks } from '../ffi/asan-stacks.ts';
import { type NativeFunction, pjrtFunctionAt } from '../ffi/function.ts';
import { type GuardedBlock, guardedBlock } from '../ffi/memory.ts';
import type { InnerCall } from '../ffi/recording.ts';
import type { CallerStructs } from './caller-structs.ts';
import { AvoidedError } from './errors.ts';
import type { CallTime, Instrument } from './instrument.ts';
import { type Fields, StructView } from './struct-view.ts';

/** What is written into an argument block: fields, or what a function writes. */
export type Fill = Fields | ((call: Call) => void);

/** How a returned error pointer becomes an exception. */
export type TakeError = (error: bigint, call: string) => Error;

interface CallOptions {
  /** Missing for a function that returns nothing. */
  takeError: TakeError | undefined;
  /** What the caller declares; missing if the layout determines it. */
  structs?: CallerStructs | undefined;
  home?: Call[] | undefined;
}

/**
 * One reusable argument block of one function: fill, run, read. Every native call of the object model goes through `run` or
 * `runAsync`: they write the breadcrumb, time the call, check the canary and turn errors into exceptions.
 */
export class Call extends StructView {
  readonly name: string;
  readonly address: bigint;
  /** Pool between uses. */
  readonly home: Call[];
  readonly #block: GuardedBlock;
  readonly #function: bigint;
  readonly #native: NativeFunction;
  readonly #elsewhere: NativeFunction['async'];
  readonly #instrument: Instrument;
  readonly #takeError: TakeError | undefined;
  /** Breadcrumb names: of the function, of a successful answer, of an error whose code has not been read yet. */
  readonly #id: number;
  readonly #success: number;
  readonly #error: number;
  readonly #time: CallTime;
  #worked = false;
  /** Its number in a recording, once a callback is to make it. */
  #prepared: number | undefined;
  /** It is PJRT_Buffer_IsOnCpu, whose answer `compat` needs whoever makes the call. */
  readonly #saysOnCpu: boolean;
  readonly #structs: CallerStructs | undefined;
  readonly #declared: number | undefined;

  /** @param at address of the function */
  constructor(name: string, layout: StructLayout, at: bigint, instrument: Instrument, how: CallOptions) {
    const { structs } = how;
    const extra = structs?.extraBytes(layout) ?? 0;
    const block = guardedBlock(layout.size + extra, `${name}_Args`);
    super(layout, block.view);
    this.name = name;
    this.address = block.address;
    this.home = how.home ?? [];
    this.#structs = structs;
    this.#declared = structs?.declared(layout, extra);
    this.#block = block;
    this.#function = at;
    this.#native = pjrtFunctionAt(at);
    this.#elsewhere = asanStacks?.elsewhere(at) ?? this.#native.async;
    this.#instrument = instrument;
    this.#takeError = how.takeError;
    this.#time = instrument.time(name);
    this.#saysOnCpu = name === 'PJRT_Buffer_IsOnCpu';
    const { breadcrumb } = instrument;
    this.#id = breadcrumb?.id(name) ?? 0;
    this.#success = breadcrumb?.id(how.takeError ? 'OK' : 'void') ?? 0;
    this.#error = breadcrumb?.id('error') ?? 0;
  }

  fill(how: Fill): void {
    if (typeof how === 'function') how(this);
    else this.set(how);
  }

  /** Zeroes the arguments and sets their size as the simulated consumer does. */
  override reset(structSize?: number): void {
    super.reset(structSize ?? this.#declared);
    this.#structs?.attach(this);
  }

  /** The bytes of the argument block, for tests that poison or compare them. */
  get bytes(): Uint8Array {
    return this.#block.bytes;
  }

  /** Calls the function on this thread. @throws PjrtError if the plugin returns an error */
  run(): void {
    const instrument = this.#instrument;
    if (instrument.avoided.has(this.name)) throw new AvoidedError(this.name);
    const crumb = instrument.breadcrumb;
    const before = this.#structs?.watch(this.layout, this.bytes);
    instrument.trace?.(this.name);
    const recorded = instrument.recording?.entering(this, 'here');
    instrument.approach?.(this.name, this.#function);
    const number = crumb?.enter(this.#id) ?? 0;
    const start = performance.now();
    const error = this.#native(this.address);
    const took = performance.now() - start;
    if (recorded !== undefined) instrument.recording?.left(recorded, this, this.#takeError ? error : null);
    this.#count(took);
    crumb?.leave(number, this.#answer(error), took);
    this.#inspectBlock(before);
    const raised = this.#raised(error, number, took);
    if (raised) throw raised;
    this.#returned();
  }

  /** Calls the function on another thread, so that callbacks into JavaScript can run meanwhile. */
  runAsync(): Promise<void> {
    const instrument = this.#instrument;
    if (instrument.avoided.has(this.name)) return Promise.reject(new AvoidedError(this.name));
    const crumb = instrument.breadcrumb;
    const before = this.#structs?.watch(this.layout, this.bytes);
    instrument.trace?.(this.name);
    const recorded = instrument.recording?.entering(this, 'elsewhere');
    instrument.approach?.(this.name, this.#function);
    const number = crumb?.enterAsync(this.#id) ?? 0;
    const start = performance.now();
    instrument.running++;
    return new Promise((resolve, reject) => {
      this.#elsewhere(this.address, (failure, error) => {
        instrument.running--;
        const took = performance.now() - start;
        if (recorded !== undefined) instrument.recording?.left(recorded, this, this.#takeError ? error : null);
        this.#count(took);
        crumb?.leaveAsync(number, this.#answer(error), took);
        this.#inspectBlock(before);
        const raised = this.#raised(error, number, took);
        if (failure) reject(failure);
        else if (raised) reject(raised);
        else {
          this.#returned();
          resolve();
        }
      });
    });
  }

  /** The call as a callback makes it, instead of `run`. */
  get inner(): InnerCall {
    this.#prepared = this.#instrument.recording?.entering(this, 'inside');
    this.#instrument.approach?.(this.name, this.#function);
    return { function: this.#function, arguments: this.address, name: this.#id };
  }

  /** A callback has made the call: judges its answer. @throws PjrtError if the plugin returned an error */
  made(answer: bigint): void {
    const crumb = this.#instrument.breadcrumb;
    const number = crumb?.enter(this.#id) ?? 0;
    const error = answer === 0n ? null : answer;
    if (this.#prepared !== undefined)
      this.#instrument.recording?.left(this.#prepared, this, this.#takeError ? error : null);
    this.#count(0);
    crumb?.leave(number, this.#answer(error), 0);
    this.#inspectBlock(undefined);
    const raised = this.#raised(error, number, 0);
    if (raised) throw raised;
    this.#returned();
  }

  #returned(): void {
    this.#instrument.returned = this.name;
    if (!this.#worked) this.#succeeded();
    if (this.#saysOnCpu && this.layout.has('is_on_cpu')) this.#instrument.buffersOnCpu = this.byte('is_on_cpu') !== 0;
  }

  #answer(error: bigint | null): number {
    return error !== null && this.#takeError ? this.#error : this.#success;
  }

  /** Records the answer of the call, and returns the error, if any. */
  #raised(error: bigint | null, call: number, ms: number): Error | undefined {
    const { trace, breadcrumb } = this.#instrument;
    const raised = error !== null && this.#takeError ? this.#takeError(error, this.name) : undefined;
    if (!raised) {
      trace?.(this.name, { ms, answer: 'OK' });
      return undefined;
    }
    const code = 'codeName' in raised ? String(raised.codeName) : 'error';
    breadcrumb?.back(call, breadcrumb.id(code), ms);
    trace?.(this.name, { ms, answer: `${code}: ${raised.message}` });
    return raised;
  }

  #count(tookMs: number): void {
    this.#instrument.nativeMs += tookMs;
    this.#instrument.calls++;
    this.#time.ms += tookMs;
  }

  #succeeded(): void {
    this.#worked = true;
    this.#instrument.answered(this.name, 'OK');
  }

  /** Memory around the fields that the plugin knows must be unchanged. */
  #inspectBlock(before: Uint8Array | undefined): void {
    if (!this.#block.intact()) this.#overrun('ABI-ARGS-002', 'wrote into memory before its argument struct');
    const trespass = this.#structs?.trespass(this.layout, this.bytes, before);
    if (trespass) this.#overrun(trespass.requirement, trespass.message);
  }

  #overrun(requirement: string, what: string): void {
    this.#instrument.onFinding({
      type: 'pjrt.MemoryOverrun',
      level: 'must',
      message: `${this.name} ${what}`,
      call: this.name,
      requirements: [requirement],
    });
  }
}
