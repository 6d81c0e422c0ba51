import type { Buffer } from '../../pjrt/buffer.ts';
import type { Client } from '../../pjrt/client.ts';
import type { Device } from '../../pjrt/device.ts';
import { programBytes } from '../../steps/compile.ts';
import { compileOptions } from '../../steps/compile-options.ts';
import type { CaseContext } from '../../steps/context.ts';
import { floats, hashed, same } from './checks.ts';
import { download, unlessUnimplemented, upload } from './client-work.ts';

const PROGRAM = 'misc/add_one';
const GET = 'PJRT_Buffer_ToHostBuffer';

/** Buffers that lie on every addressable device of a client, other ones for each seed. */
export class Spread {
  readonly #context: CaseContext;
  readonly #kept: { buffer: Buffer; array: ReturnType<typeof hashed>; where: string }[];

  constructor(context: CaseContext, client: Client, seed: number) {
    this.#context = context;
    this.#kept = client.addressableDevices().map((device, i) => {
      const array = hashed('f32', [33, 5], seed + i);
      const buffer = context.scope.own(upload(context.arena, client, array, { device: device.pointer }));
      return { buffer, array, where: `device ${i}` };
    });
  }

  /** @throws CheckFailure if one has other contents than it was given */
  check(when: string): void {
    for (const { buffer, array, where } of this.#kept)
      same(`the buffer on ${where} ${when}`, array, download(this.#context.arena, buffer, array), GET, 'BUF-LIV-001');
  }
}

/** Sends, computes and reads on every addressable device of a client. @throws CheckFailure, PjrtError */
export function workEverywhere(context: CaseContext, client: Client, seed: number): void {
  const { arena } = context;
  for (const [i, device] of client.addressableDevices().entries()) {
    const array = hashed('f32', [33, 5], seed + i);
    const buffer = upload(arena, client, array, { device: device.pointer });
    same(`a transfer to device ${i} and back`, array, download(arena, buffer, array), GET, 'HYG-TWO-001');
    buffer.destroy();
    unlessUnimplemented(() => addOneOn(context, client, device, i + seed));
  }
}

function addOneOn(context: CaseContext, client: Client, device: Device, start: number): void {
  const { arena } = context;
  const code = programBytes(context.plugin, { program: PROGRAM });
  const options = compileOptions(context, { device_assignment: [device.id()] }, { program: PROGRAM, client });
  const executable = client.compile(arena, code, 'mlir', options);
  const argument = upload(arena, client, floats([start, 2, 3, 4]), { device: device.pointer });
  const { outputs, events } = executable.execute(arena, [[argument]], { events: true });
  for (const event of events) event.await();
  const expected = floats([start + 1, 3, 4, 5]);
  const actual = download(arena, outputs[0]![0]!, expected);
  for (const handle of [...events, ...outputs.flat(), argument, executable]) handle.destroy();
  same('x + 1', expected, actual, 'PJRT_LoadedExecutable_Execute', 'HYG-TWO-001');
}
