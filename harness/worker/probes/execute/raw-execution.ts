import type { Block } from '../../ffi/memory.ts';
import { Buffer } from '../../pjrt/buffer.ts';
import type { Call } from '../../pjrt/call.ts';
import { Event } from '../../pjrt/event.ts';
import type { LoadedExecutable } from '../../pjrt/executable.ts';
import { StructView } from '../../pjrt/struct-view.ts';
import type { CaseContext } from '../../steps/context.ts';

/** Words before and after every list that the plugin writes; they must keep the sentinel. */
const MARGIN = 4;
/** What slots hold before the call: no address that a plugin could give out. */
export const SENTINEL = 0xc9c9c9c9c9c9c9c9n;

interface RawSettings {
  events?: boolean;
  device?: bigint;
  /** Writes fields of PJRT_ExecuteOptions. */
  fill?: (options: StructView) => void;
}

/** One call of PJRT_LoadedExecutable_Execute with every piece of its memory in the probe's hands. */
export class RawExecution {
  readonly options: Block;
  readonly argumentLists: Block[];
  readonly argumentOuter: Block;
  readonly outputLists: Block[];
  readonly outputOuter: Block;
  readonly events: Block;
  readonly numOutputs: number;
  readonly #context: CaseContext;
  readonly #executable: LoadedExecutable;
  readonly #settings: RawSettings;
  readonly #lists: readonly (readonly { pointer: bigint }[])[];

  constructor(
    context: CaseContext,
    executable: LoadedExecutable,
    lists: readonly (readonly { pointer: bigint }[])[],
    settings: RawSettings = {},
  ) {
    const { arena, api } = context;
    this.#context = context;
    this.#executable = executable;
    this.#settings = settings;
    this.#lists = lists;
    this.numOutputs = executable.numOutputs();
    const layout = api.struct('PJRT_ExecuteOptions');
    this.options = arena.alloc(layout.size, 16);
    const view = new StructView(layout, this.options.view);
    view.reset();
    settings.fill?.(view);
    this.argumentLists = lists.map((list) => arena.pointers(list.map((b) => b.pointer)));
    this.argumentOuter = arena.pointers(this.argumentLists.map((list) => list.address));
    const slots = (count: number) => arena.pointers(new Array<bigint>(count + 2 * MARGIN).fill(SENTINEL));
    this.outputLists = lists.map(() => slots(this.numOutputs));
    this.outputOuter = slots(lists.length);
    this.outputLists.forEach((list, i) => {
      this.outputOuter.view.setBigUint64((MARGIN + i) * 8, first(list), true);
    });
    this.events = slots(lists.length);
  }

  /** @throws PjrtError */
  run(): void {
    this.#context.api.invoke('PJRT_LoadedExecutable_Execute', (call) => this.#fill(call));
    this.#own();
  }

  /** Runs on another thread. @throws PjrtError */
  async runAsync(): Promise<void> {
    await this.#context.api.invokeAsync('PJRT_LoadedExecutable_Execute', (call) => this.#fill(call));
    this.#own();
  }

  /** Words that the plugin was to write: outputs by device, and events. */
  outputWords = (): bigint[][] => this.outputLists.map((list) => words(list, this.numOutputs));
  eventWords = (): bigint[] => words(this.events, this.#lists.length);

  outputs = (): Buffer[][] => this.#outputs;
  completions = (): Event[] => this.#events;
  #outputs: Buffer[][] = [];
  #events: Event[] = [];

  /** Names of the lists of which something outside was written, or whose inner pointers were changed. */
  overrun(): string[] {
    const violated: string[] = [];
    const intact = (list: Block, count: number) => [...around(list, count)].every((word) => word === SENTINEL);
    this.outputLists.forEach((list) => {
      if (!intact(list, this.numOutputs)) violated.push('an output list');
    });
    const inner = words(this.outputOuter, this.#lists.length);
    if (!intact(this.outputOuter, this.#lists.length) || inner.some((w, i) => w !== first(this.outputLists[i]!)))
      violated.push('output_lists');
    if (!intact(this.events, this.#lists.length)) violated.push('device_complete_events');
    return violated;
  }

  #fill(call: Call): void {
    call.setWord('executable', this.#executable.pointer);
    call.setWord('options', this.options.address);
    call.setWord('argument_lists', this.argumentOuter.address);
    call.setSize('num_devices', this.#lists.length);
    call.setSize('num_args', this.#lists[0]!.length);
    call.setWord('output_lists', first(this.outputOuter));
    if (this.#settings.events) call.setWord('device_complete_events', first(this.events));
    if (this.#settings.device !== undefined) call.setWord('execute_device', this.#settings.device);
  }

  /** A slot that still holds the sentinel was never written and is nobody's handle. */
  #own(): void {
    const { api, scope } = this.#context;
    // A buffer that was given out twice would be destroyed twice.
    const seen = new Set<bigint>([0n, SENTINEL]);
    const live = (word: bigint) => !seen.has(word) && seen.add(word);
    this.#outputs = this.outputWords().map((list) => list.filter(live).map((w) => scope.own(new Buffer(api, w))));
    this.#events = this.#settings.events
      ? this.eventWords()
          .filter(live)
          .map((w) => scope.own(new Event(api, w)))
      : [];
  }
}

const first = (list: Block): bigint => list.address + BigInt(MARGIN * 8);

const words = (list: Block, count: number): bigint[] =>
  Array.from({ length: count }, (_, i) => list.view.getBigUint64((MARGIN + i) * 8, true));

function* around(list: Block, count: number): Generator<bigint> {
  for (let i = 0; i < MARGIN; i++) {
    yield list.view.getBigUint64(i * 8, true);
    yield list.view.getBigUint64((MARGIN + count + i) * 8, true);
  }
}
