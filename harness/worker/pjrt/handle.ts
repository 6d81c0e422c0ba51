import type { LiveObject, PjrtApi } from './api.ts';
import type { Call } from './call.ts';
import type { Fields } from './struct-view.ts';

/** A native object, identified by its address. */
export abstract class NativeObject {
  abstract readonly kind: string;
  readonly api: PjrtApi;
  readonly pointer: bigint;
  /** The field by which its own functions take it. */
  protected abstract readonly field: string;

  constructor(api: PjrtApi, pointer: bigint) {
    this.api = api;
    this.pointer = pointer;
  }

  /** A call of one of its functions. */
  protected invoke<T = void>(name: string, read?: (call: Call) => T, more?: Fields): T {
    return this.api.invoke(name, this.filled(more), read);
  }

  /** Its own field, and further ones. */
  protected filled(more?: Fields): Fields {
    return { [this.field]: this.pointer, ...more };
  }
}

/** A native object that the harness owns: exists until `destroy`, and is counted by its API. */
export abstract class Handle extends NativeObject implements LiveObject {
  #destroyed = false;

  constructor(api: PjrtApi, pointer: bigint) {
    super(api, pointer);
    api.live.add(this);
  }

  protected abstract release(): void;

  get destroyed(): boolean {
    return this.#destroyed;
  }

  destroy(): void {
    if (this.#destroyed) return;
    this.#destroyed = true;
    this.api.live.delete(this);
    this.release();
  }

  /** Exempts the object from leak checks: its holder destroys it. */
  keep(): void {
    this.api.live.delete(this);
  }

  disown(): void {
    this.#destroyed = true;
    this.api.live.delete(this);
  }
}

/** Owns what a case creates and destroys it in reverse order. */
export class Scope {
  #owned: { destroy(): void }[] = [];

  own<T extends { destroy(): void }>(handle: T): T {
    this.#owned.push(handle);
    return handle;
  }

  /** Runs `undo` when the scope ends. */
  defer(undo: () => void): void {
    this.#owned.push({ destroy: undo });
  }

  /** Destroys everything; an error of one object does not stop the others. */
  dispose(onError: (error: unknown) => void): void {
    for (const handle of this.#owned.reverse()) {
      try {
        handle.destroy();
      } catch (error) {
        onError(error);
      }
    }
    this.#owned = [];
  }
}
