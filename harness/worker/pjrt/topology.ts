import type { Options } from '../../model/plugin.ts';
import type { Arena } from '../ffi/memory.ts';
import type { PjrtApi } from './api.ts';
import type { Calls } from './calls.ts';
import { compiling } from './compilation.ts';
import { DeviceDescription } from './device.ts';
import { BadDataError } from './errors.ts';
import { Executable } from './executable.ts';
import { Handle } from './handle.ts';
import { makeNamedValues } from './named-values.ts';

import { pointersOf } from './strings.ts';

/** A PJRT_TopologyDescription; the caller must never destroy that of a client. */
export class Topology extends Handle {
  readonly kind = 'PJRT_TopologyDescription';
  protected readonly field = 'topology';
  readonly owned: boolean;

  constructor(api: PjrtApi, pointer: bigint, owned: boolean) {
    super(api, pointer);
    this.owned = owned;
    if (!owned) this.disown();
  }

  /** Creates a topology by name, without a client: for ahead-of-time compilation. @throws PjrtError */
  static create(api: PjrtApi, arena: Arena, name: string, options: Readonly<Options>): Topology {
    const text = arena.text(name);
    const named = makeNamedValues(api, arena, options);
    const fields = {
      topology_name: text.address,
      topology_name_size: text.length,
      create_options: named.address,
      num_options: named.count,
    };
    const pointer = api.invoke('PJRT_TopologyDescription_Create', fields, (call) => call.word('topology'));
    return new Topology(api, pointer, true);
  }

  deviceDescriptions = (): DeviceDescription[] =>
    this.invoke('PJRT_TopologyDescription_GetDeviceDescriptions', (call) =>
      pointersOf(call, 'descriptions').map((p) => new DeviceDescription(this.api, p)),
    );

  /** Compiles for this topology: the executable is not loaded anywhere. `client` is optional. */
  *compiling(
    arena: Arena,
    code: Uint8Array,
    format: string,
    options: Uint8Array,
    client?: { pointer: bigint },
  ): Calls<Executable> {
    const more = this.filled({ client: client?.pointer });
    const pointer = yield* compiling(this.api, arena, 'PJRT_Compile', { code, format, options }, more);
    if (pointer === 0n) throw new BadDataError('succeeded, but its executable is NULL', 'PJRT_Compile');
    return new Executable(this.api, pointer);
  }

  protected release(): void {
    this.invoke('PJRT_TopologyDescription_Destroy');
  }
}
