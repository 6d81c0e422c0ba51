import { AbsentError, PjrtError } from '../../pjrt/errors.ts';
import { TransferManager } from '../../pjrt/transfer-manager.ts';
import type { CaseContext } from '../../steps/context.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { probe } from '../probe.ts';
import { hashed, violated } from '../support/checks.ts';
import { compileFor, upload } from '../support/client-work.ts';

const LOOKUP = 'PJRT_Client_LookupDevice';

/** Every function that returns a device returns a pointer of the client's list: frameworks look devices up by address. */
export const devicePointers = probe('device-pointers', {}, (context) => {
  const known = new Set(context.client.devices().map((d) => d.pointer));
  const check = (function_: string, pointers: readonly bigint[]): void => {
    for (const pointer of pointers)
      if (!known.has(pointer))
        violated(
          `${function_} gave ${pointer === 0n ? 'NULL' : 'a device'} that is not in the client's list`,
          function_,
        );
  };
  for (const source of SOURCES) {
    try {
      check(source.function, source.pointers(context));
    } catch (error) {
      // A missing function returns nothing.
      const absent = error instanceof AbsentError || error instanceof NotSupported;
      if (!absent && !(error instanceof PjrtError && error.codeName === 'UNIMPLEMENTED')) throw error;
    }
  }
});

const SOURCES: readonly { function: string; pointers(context: CaseContext): bigint[] }[] = [
  {
    function: 'PJRT_Client_AddressableDevices',
    pointers: ({ client }) => client.addressableDevices().map((d) => d.pointer),
  },
  {
    function: LOOKUP,
    pointers: ({ api, client }) =>
      client.devices().map((device) =>
        api.invoke(
          LOOKUP,
          (call) => {
            call.setWord('client', client.pointer);
            call.setInt('id', device.id());
          },
          (call) => call.word('device'),
        ),
      ),
  },
  {
    function: 'PJRT_Client_LookupAddressableDevice',
    pointers: ({ api, client }) =>
      client
        .addressableDevices()
        .map((d) => d.localHardwareId())
        .filter((id) => id !== -1)
        .map((id) =>
          api.invoke(
            'PJRT_Client_LookupAddressableDevice',
            (call) => {
              call.setWord('client', client.pointer);
              call.setInt('local_hardware_id', id);
            },
            (call) => call.word('addressable_device'),
          ),
        ),
  },
  {
    function: 'PJRT_Memory_AddressableByDevices',
    pointers: ({ client }) => client.addressableMemories().flatMap((m) => m.devices()),
  },
  {
    function: 'PJRT_Buffer_Device',
    pointers: ({ arena, client }) =>
      client.addressableDevices().map((device) => {
        const buffer = upload(arena, client, hashed('f32', [4]), { device: device.pointer });
        try {
          return buffer.device();
        } finally {
          buffer.destroy();
        }
      }),
  },
  {
    function: 'PJRT_LoadedExecutable_AddressableDevices',
    pointers: (context) => {
      const executable = compileFor(context, context.client, 'misc/add_one');
      try {
        return executable.addressableDevices();
      } finally {
        executable.destroy();
      }
    },
  },
  {
    function: 'PJRT_AsyncHostToDeviceTransferManager_Device',
    pointers: ({ api, arena, client, scope }) => {
      const memory = client.firstDevice().defaultMemory();
      const { dtype } = hashed('f32', [4]);
      const manager = scope.own(TransferManager.create(client, arena, [{ type: dtype.enumValue, dims: [4] }], memory));
      return [
        api.invoke(
          'PJRT_AsyncHostToDeviceTransferManager_Device',
          (call) => call.setWord('transfer_manager', manager.pointer),
          (call) => call.word('device_out'),
        ),
      ];
    },
  },
];
