import type { HostArray } from '../../../knowledge/numerics/array.ts';
import type { Buffer } from '../../pjrt/buffer.ts';
import type { Client } from '../../pjrt/client.ts';
import type { Device } from '../../pjrt/device.ts';
import { AbsentError } from '../../pjrt/errors.ts';
import type { LoadedExecutable } from '../../pjrt/executable.ts';
import { programBytes } from '../../steps/compile.ts';
import { compileOptions } from '../../steps/compile-options.ts';
import type { CaseContext } from '../../steps/context.ts';
import { isRefusal } from '../../steps/outcome.ts';
import { floats, hashed, same } from './checks.ts';
import { download, unlessUnimplemented, upload } from './client-work.ts';

const PROGRAM = 'misc/add_one';
const GET = 'PJRT_Buffer_ToHostBuffer';

interface Place {
  name: string;
  device: Device;
  buffer: Buffer;
  array: HostArray;
  /** x + 1, unless the plugin has no compiler. */
  program?: LoadedExecutable;
}

/** A buffer and an executable on every addressable device of a client. The case owns them. */
export class Spread {
  readonly #context: CaseContext;
  readonly #client: Client;
  readonly #places: Place[];

  constructor(context: CaseContext, client: Client, seed: number) {
    this.#context = context;
    this.#client = client;
    this.#places = client.addressableDevices().map((device, i) => this.#place(device, i, seed));
  }

  #place(device: Device, i: number, seed: number): Place {
    const { arena, scope, plugin } = this.#context;
    const array = hashed('f32', [33, 5], seed + i);
    const buffer = scope.own(upload(arena, this.#client, array, { device: device.pointer }));
    const place: Place = { name: `device ${i}`, device, buffer, array };
    unlessUnimplemented(() => {
      const how = { program: PROGRAM, client: this.#client };
      const options = compileOptions(this.#context, { device_assignment: [device.id()] }, how);
      place.program = scope.own(this.#client.compile(arena, programBytes(plugin, how), 'mlir', options));
    });
    return place;
  }

  /** The buffers are read. @throws CheckFailure if one has other contents than it was given */
  check(when: string): void {
    const { arena } = this.#context;
    for (const { name, buffer, array } of this.#places)
      same(`the buffer on ${name} ${when}`, array, download(arena, buffer, array), GET, 'BUF-LIV-001');
  }

  /** Sends, computes, reads and copies on every device. @throws CheckFailure, PjrtError */
  work(seed: number, requirement: string): void {
    const { arena } = this.#context;
    for (const [i, { name, device, program }] of this.#places.entries()) {
      const array = floats([seed + i, 2, 3, 4]);
      const argument = upload(arena, this.#client, array, { device: device.pointer });
      same(`a transfer to ${name} and back`, array, download(arena, argument, array), GET, requirement);
      if (program) {
        const { outputs, events } = program.execute(arena, [[argument]], { events: true });
        for (const event of events) event.await();
        const expected = floats([seed + i + 1, 3, 4, 5]);
        const actual = download(arena, outputs[0]![0]!, expected);
        for (const handle of [...events, ...outputs.flat()]) handle.destroy();
        same(`x + 1 on ${name}`, expected, actual, 'PJRT_LoadedExecutable_Execute', requirement);
      }
      this.#copy(argument, array, this.#places[(i + 1) % this.#places.length]!, requirement);
      argument.destroy();
    }
  }
  /** A copy on another device, unless there is none or the plugin refuses copies. */
  #copy(source: Buffer, array: HostArray, { name, device }: Place, requirement: string): void {
    if (source.device() === device.pointer) return;
    let copy: Buffer;
    try {
      copy = source.copyToDevice(device.pointer);
    } catch (error) {
      if (error instanceof AbsentError || isRefusal(error)) return;
      throw error;
    }
    same(
      `a copy on ${name}`,
      array,
      download(this.#context.arena, copy, array),
      'PJRT_Buffer_CopyToDevice',
      requirement,
    );
    copy.destroy();
  }
}
