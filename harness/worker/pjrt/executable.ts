import type { Arena } from '../ffi/memory.ts';
import type { PjrtApi } from './api.ts';
import { Buffer } from './buffer.ts';
import type { Call } from './call.ts';
import { type Calls, elsewhere, here } from './calls.ts';
import { BadDataError } from './errors.ts';
import { Event } from './event.ts';
import { Handle } from './handle.ts';
import { OutputLists } from './output-lists.ts';
import { COUNT_LIMIT, pointersOf, textOf } from './strings.ts';
import type { StructView } from './struct-view.ts';

/** A PJRT_Executable that the harness owns. */
export class Executable extends Handle {
  readonly kind = 'PJRT_Executable';
  protected readonly field = 'executable';

  name = (): string => this.invoke('PJRT_Executable_Name', (call) => textOf(call, 'executable_name'));
  /** @throws BadDataError for more than any program has */
  numOutputs = (): number =>
    this.invoke('PJRT_Executable_NumOutputs', (call) => {
      const count = call.size('num_outputs');
      if (count > COUNT_LIMIT) throw new BadDataError(`says that the program has ${count} outputs`, call.name);
      return count;
    });

  /** The program as it was compiled. */
  optimizedProgram(arena: Arena): { format: string; code: Uint8Array } {
    const program = this.api.make(arena, 'PJRT_Program');
    const view = program.at(0);
    const ask = (): void =>
      this.api.invoke('PJRT_Executable_OptimizedProgram', this.filled({ program: program.address }));
    ask();
    const code = arena.alloc(view.size('code_size'));
    view.setWord('code', code.address);
    ask();
    return { format: textOf(view, 'format'), code: code.bytes };
  }

  protected release(): void {
    this.invoke('PJRT_Executable_Destroy');
  }
}

export interface ExecuteOptions {
  launchId?: number;
  nonDonatable?: readonly number[];
  /** Address of the PJRT_Device to run on, for executables without a device assignment. */
  device?: bigint;
  /** Request device_complete_events. */
  events?: boolean;
  /** The lists to be written, if the caller looks at them afterwards. */
  into?: OutputLists;
  /** Sets further fields of PJRT_ExecuteOptions. */
  fill?: (options: StructView) => void;
}

/** Buffers by device, then by argument. */
type Arguments = readonly (readonly { pointer: bigint }[])[];

/** Result of one execution: outputs and completion events per device, in AddressableDevices order. */
export interface Execution {
  outputs: Buffer[][];
  events: Event[];
}

/** A PJRT_LoadedExecutable that the harness owns. */
export class LoadedExecutable extends Handle {
  readonly kind = 'PJRT_LoadedExecutable';
  protected readonly field = 'executable';
  #numOutputs: number | undefined;

  getExecutable(): Executable {
    const fields = { loaded_executable: this.pointer };
    const take = (call: Call): Executable => new Executable(this.api, call.word('executable'));
    return this.api.invoke('PJRT_LoadedExecutable_GetExecutable', fields, take);
  }

  /** Number of outputs per device; cached. */
  numOutputs(): number {
    if (this.#numOutputs === undefined) {
      const executable = this.getExecutable();
      try {
        this.#numOutputs = executable.numOutputs();
      } finally {
        executable.destroy();
      }
    }
    return this.#numOutputs;
  }

  addressableDevices = (): bigint[] =>
    this.invoke('PJRT_LoadedExecutable_AddressableDevices', (call) => pointersOf(call, 'addressable_devices'));

  /** Starts an execution. */
  execute = (arena: Arena, args: Arguments, options: ExecuteOptions = {}): Execution =>
    here(this.executing(arena, args, options));

  /** Starts an execution from another thread: the call may wait for the contents of its arguments. */
  executeAsync = (arena: Arena, args: Arguments, options: ExecuteOptions = {}): Promise<Execution> =>
    elsewhere(this.executing(arena, args, options));

  *executing(arena: Arena, args: Arguments, options: ExecuteOptions = {}): Calls<Execution> {
    const devices = args.length;
    const execOptions = makeExecuteOptions(this.api, arena, options);
    const lists = args.map((list) => arena.pointers(list.map((b) => b.pointer)).address);
    const { into = new OutputLists(arena, devices, this.numOutputs()) } = options;
    const fields = this.filled({
      options: execOptions,
      argument_lists: arena.pointers(lists).address,
      num_devices: devices,
      num_args: args[0]?.length ?? 0,
      output_lists: into.outputLists,
      device_complete_events: options.events ? into.completeEvents : undefined,
      execute_device: options.device,
    });
    const written = (word: bigint | undefined): word is bigint => word !== undefined;
    const take = (): Execution => ({
      outputs: into.outputs().map((list) => list.filter(written).map((word) => new Buffer(this.api, word))),
      events: options.events
        ? into
            .events()
            .filter(written)
            .map((word) => new Event(this.api, word))
        : [],
    });
    return yield* this.api.calling('PJRT_LoadedExecutable_Execute', fields, take);
  }

  protected release(): void {
    this.invoke('PJRT_LoadedExecutable_Destroy');
  }
}

/** A PJRT_ExecuteOptions in native memory. */
function makeExecuteOptions(api: PjrtApi, arena: Arena, options: ExecuteOptions): bigint {
  const struct = api.make(arena, 'PJRT_ExecuteOptions');
  const view = struct.at(0);
  view.setInt('launch_id', options.launchId ?? 0);
  if (options.nonDonatable) {
    view.setWord(
      'non_donatable_input_indices',
      arena.int64s(options.nonDonatable, 'non_donatable_input_indices').address,
    );
    view.setSize('num_non_donatable_input_indices', options.nonDonatable.length);
  }
  options.fill?.(view);
  return struct.address;
}
