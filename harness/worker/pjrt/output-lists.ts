import type { Arena, Block } from '../ffi/memory.ts';

/** What slots hold before the call if the lists are checked: no address that a plugin could give out. */
const SENTINEL = 0xc9c9c9c9c9c9c9c9n;
/** Words before and after every list that is checked; they must keep the sentinel. */
const MARGIN = 4;

/** The lists into which an execution writes: outputs by device, and completion events. */
export class OutputLists {
  readonly #margin: number;
  readonly #empty: bigint;
  readonly #outputs: Block[];
  readonly #outer: Block;
  readonly #events: Block;
  readonly #count: number;

  /** @param checked whether `overrun`, and what slots hold, is of interest */
  constructor(arena: Arena, devices: number, count: number, checked = false) {
    this.#margin = checked ? MARGIN : 0;
    this.#empty = checked ? SENTINEL : 0n;
    const margin = this.#margin * 8;
    const slots = (size: number, name: string): Block => {
      const block = arena.room(size * 8, name, { before: margin, after: margin });
      for (let at = 0; at < block.bytes.length; at += 8) block.view.setBigUint64(at, this.#empty, true);
      return block;
    };
    this.#count = count;
    this.#outputs = Array.from({ length: devices }, () => slots(count, 'output_lists'));
    this.#outer = slots(devices, 'output_lists');
    this.#outputs.forEach((list, i) => {
      this.#outer.view.setBigUint64((this.#margin + i) * 8, this.#first(list), true);
    });
    this.#events = slots(devices, 'device_complete_events');
  }

  get outputLists(): bigint {
    return this.#first(this.#outer);
  }

  get completeEvents(): bigint {
    return this.#first(this.#events);
  }

  /** What the slots hold; undefined where nothing, or NULL in checked lists, was written. */
  outputs = (): (bigint | undefined)[][] => this.#outputs.map((list) => this.#words(list, this.#count));
  events = (): (bigint | undefined)[] => this.#words(this.#events, this.#outputs.length);

  /** Names of the checked lists around which something was written, or whose inner pointers were changed. */
  overrun(): string[] {
    const devices = this.#outputs.length;
    const inner = this.#words(this.#outer, devices);
    const moved = inner.some((word, i) => word !== this.#first(this.#outputs[i]!));
    return [
      ...this.#outputs.flatMap((list) => (this.#intact(list, this.#count) ? [] : ['an output list'])),
      ...(moved || !this.#intact(this.#outer, devices) ? ['output_lists'] : []),
      ...(this.#intact(this.#events, devices) ? [] : ['device_complete_events']),
    ];
  }

  #first = (list: Block): bigint => list.address + BigInt(this.#margin * 8);

  #words(list: Block, count: number): (bigint | undefined)[] {
    return Array.from({ length: count }, (_, i) => {
      const word = list.view.getBigUint64((this.#margin + i) * 8, true);
      return this.#margin > 0 && (word === SENTINEL || word === 0n) ? undefined : word;
    });
  }

  #intact(list: Block, count: number): boolean {
    const outside = (i: number): boolean => i < this.#margin || i >= this.#margin + count;
    return Array.from({ length: count + 2 * this.#margin }, (_, i) => i)
      .filter(outside)
      .every((i) => list.view.getBigUint64(i * 8, true) === this.#empty);
  }
}
