import type { Arena } from '../../ffi/memory.ts';
import type { Replaying } from './replaying.ts';

/** In memory with which a plugin has nothing to do any more. */
export const SPENT = 0xdb;

/** Memory that a plugin may use until an event is ready, by the recorded address of the event. */
export class EventMemory {
  readonly #replaying: Replaying;
  readonly #held = new Map<bigint, Arena>();
  /** Of events whose addresses have been used again. */
  readonly #kept: Arena[] = [];

  constructor(replaying: Replaying) {
    this.#replaying = replaying;
  }

  hold(event: bigint, arena: Arena): void {
    const before = this.#held.get(event);
    if (before) this.#kept.push(before);
    this.#held.set(event, arena);
  }

  /** An event is about to be destroyed: if it is ready, the plugin needs its memory no more. @param isRead whether something here does */
  letGo(event: bigint, isRead: (arena: Arena) => boolean): void {
    const { context, objects } = this.#replaying;
    const arena = this.#held.get(event);
    if (!arena || isRead(arena) || !objects.has('PJRT_Event', event)) return;
    const fields = { event: objects.pointer('PJRT_Event', event) };
    if (!context.api.invoke('PJRT_Event_IsReady', fields, (call) => call.byte('is_ready') !== 0)) return;
    this.#held.delete(event);
    arena.scrub(SPENT);
    arena.release();
  }

  release(): void {
    for (const arena of [...this.#held.values(), ...this.#kept]) arena.release();
  }
}
