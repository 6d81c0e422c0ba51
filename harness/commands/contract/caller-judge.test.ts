import { describe, expect, test } from 'vitest';
import { CallerJudge } from './caller-judge.ts';
import { abi, type How, Session as JudgedSession } from './judged-session.test-helper.ts';

/** Each rule on the mistake that it is for, and on what looks like it and is none. */

class Session extends JudgedSession<CallerJudge> {
  constructor() {
    super(new CallerJudge());
  }
}

const [CLIENT, DEVICE, BUFFER, EVENT, ERROR, OUTPUT, EXECUTABLE] = [1n, 2n, 3n, 4n, 5n, 6n, 7n].map((n) => n * 0x1000n);

/** A client with a buffer and its event. */
function started(): Session {
  const session = new Session();
  session.call('PJRT_Client_Create', { gives: { client: CLIENT! } });
  session.call('PJRT_Client_AddressableDevices', {
    given: { client: CLIENT! },
    gives: { addressable_devices: [DEVICE!], num_addressable_devices: 1n },
  });
  put(session);
  return session;
}

const put = (session: Session): void => {
  session.call('PJRT_Client_BufferFromHostBuffer', {
    given: { client: CLIENT!, device: DEVICE! },
    gives: { buffer: BUFFER!, done_with_host_buffer: EVENT! },
  });
};
/** An address behind which nothing was recorded. */
const ELSEWHERE = 0x7777n;

const compile = (session: Session): void => {
  session.call('PJRT_Client_Compile', {
    given: { client: CLIENT!, program: ELSEWHERE },
    gives: { executable: EXECUTABLE! },
  });
};

const execute = (session: Session, given: readonly bigint[], error = 0n): void => {
  session.call('PJRT_LoadedExecutable_Execute', {
    given: {
      ...{ executable: EXECUTABLE!, options: ELSEWHERE },
      ...{ num_devices: 1n, num_args: BigInt(given.length), argument_lists: [given] },
    },
    error,
  });
  if (error !== 0n) session.call('PJRT_Error_Destroy', of('error', error));
};

const transfers = (session: Session): void => {
  session.call('PJRT_Client_CreateBuffersForAsyncHostToDevice', {
    given: { client: CLIENT!, num_shape_specs: 1n, shape_specs: ELSEWHERE },
    gives: { transfer_manager: OUTPUT! },
  });
};

const send = (session: Session): void => {
  session.call('PJRT_AsyncHostToDeviceTransferManager_TransferData', {
    given: { transfer_manager: OUTPUT!, data: ELSEWHERE, transfer_size: 4n, is_last_transfer: 1n },
  });
};

const of = (field: string, at: bigint | undefined): How => ({ given: { [field]: at! } });

describe('what a right caller does is no mistake', () => {
  test('everything is destroyed once, the client last; addresses are used again', () => {
    const session = started();
    session.call('PJRT_Event_Await', of('event', EVENT));
    session.call('PJRT_Event_Error', of('event', EVENT));
    session.call('PJRT_Event_Destroy', of('event', EVENT));
    session.call('PJRT_Buffer_Destroy', of('buffer', BUFFER));
    put(session);
    session.call('PJRT_Buffer_Dimensions', of('buffer', BUFFER));
    session.call('PJRT_Buffer_Destroy', of('buffer', BUFFER));
    session.call('PJRT_Event_Destroy', of('event', EVENT));
    session.call('PJRT_Client_Destroy', of('client', CLIENT));
    expect(session.end()).toEqual({ mistakes: [], more: {} });
  });

  test('another thread gets the address of a buffer before its end has returned', () => {
    const session = started();
    const destroying = session.enter('PJRT_Buffer_Destroy', of('buffer', BUFFER));
    put(session);
    session.leave(destroying);
    session.call('PJRT_Buffer_Dimensions', of('buffer', BUFFER));
    expect(session.rules()).toEqual([]);
  });

  test('what was there before the recording, and what a callback was given', () => {
    const session = new Session();
    session.call('PJRT_Event_Error', of('event', EVENT));
    session.call('PJRT_Buffer_DecreaseExternalReferenceCount', of('buffer', BUFFER));
    const waiting = session.call('PJRT_Event_OnReady', { given: { event: EVENT!, callback: ELSEWHERE } });
    for (let i = 0; i < 2; i++) {
      session.fired(waiting, ERROR);
      session.call('PJRT_Error_Destroy', of('error', ERROR));
    }
    session.call('PJRT_Error_Destroy', of('error', 0n));
    expect(session.rules()).toEqual([]);
  });

  test('an event is read after its callback; a device outlives the executable that showed it', () => {
    const session = started();
    session.fired(session.call('PJRT_Event_OnReady', { given: { event: EVENT!, callback: ELSEWHERE } }));
    session.call('PJRT_Event_Error', of('event', EVENT));
    compile(session);
    session.call('PJRT_LoadedExecutable_AddressableDevices', {
      ...of('executable', EXECUTABLE),
      gives: { addressable_devices: [DEVICE!], num_addressable_devices: 1n },
    });
    session.call('PJRT_LoadedExecutable_Destroy', of('executable', EXECUTABLE));
    session.call('PJRT_Device_GetDescription', of('device', DEVICE));
    expect(session.rules()).toEqual([]);
  });

  test('a result of an execution has the address of a buffer that was destroyed', () => {
    const session = started();
    compile(session);
    session.call('PJRT_Buffer_Destroy', of('buffer', BUFFER));
    session.call('PJRT_LoadedExecutable_Execute', {
      given: { executable: EXECUTABLE!, options: ELSEWHERE, num_devices: 1n },
      gives: { output_lists: [[BUFFER!]] },
    });
    session.call('PJRT_Buffer_Dimensions', of('buffer', BUFFER));
    expect(session.rules()).toEqual([]);
  });

  test('a stub that has no layouts is asked for that of a deleted buffer', () => {
    const session = started();
    session.call('PJRT_Buffer_Delete', of('buffer', BUFFER));
    session.call('PJRT_Buffer_GetMemoryLayout', { ...of('buffer', BUFFER), error: ERROR! });
    session.call('PJRT_Error_Destroy', of('error', ERROR));
    expect(session.rules()).toEqual([]);
  });

  test('sizes of other versions, with padding, and of newer headers', () => {
    const session = started();
    const sizes = [abi.argsOf('PJRT_Buffer_IsDeleted').structSize, abi.argsOf('PJRT_Buffer_IsDeleted').size, 200];
    for (const structSize of sizes) session.call('PJRT_Buffer_IsDeleted', { ...of('buffer', BUFFER), structSize });
    // XLA's client leaves the size of a layout unset.
    const host_layout = Array.from({ length: 10 }, (_, i) => (i === 0 ? 2n : 0n));
    session.call('PJRT_Buffer_ToHostBuffer', { given: { src: BUFFER!, host_layout } });
    expect(session.rules()).toEqual([]);
  });

  test('a copy goes to another client, references are balanced, reads are as large as asked, arguments as many', () => {
    const session = started();
    session.call('PJRT_Client_Create', { gives: { client: 0x9000n } });
    session.call('PJRT_Client_AddressableDevices', {
      given: { client: 0x9000n },
      gives: { addressable_devices: [0xa000n], num_addressable_devices: 1n },
    });
    session.call('PJRT_Buffer_CopyToDevice', { given: { buffer: BUFFER!, dst_device: 0xa000n } });
    session.call('PJRT_Buffer_ToHostBuffer', { given: { src: BUFFER! }, gives: { dst_size: 16n } });
    session.call('PJRT_Buffer_ToHostBuffer', { given: { src: BUFFER!, dst: ELSEWHERE, dst_size: 16n } });
    session.call('PJRT_Buffer_ToHostBuffer', {
      given: { src: BUFFER!, host_layout: ELSEWHERE, dst: ELSEWHERE, dst_size: 8n },
    });
    compile(session);
    execute(session, [BUFFER!], ERROR);
    execute(session, [BUFFER!, BUFFER!]);
    session.call('PJRT_Buffer_IncreaseExternalReferenceCount', of('buffer', BUFFER));
    session.call('PJRT_Buffer_DecreaseExternalReferenceCount', of('buffer', BUFFER));
    session.call('PJRT_Buffer_Destroy', of('buffer', BUFFER));
    expect(session.rules()).toEqual([]);
  });

  test('an execution without arguments has no lists; a type that only the plugin knows is taken', () => {
    const session = started();
    compile(session);
    session.call('PJRT_LoadedExecutable_Execute', {
      given: { executable: EXECUTABLE!, options: ELSEWHERE, num_devices: 1n },
    });
    session.call('PJRT_Client_BufferFromHostBuffer', { given: { client: CLIENT!, device: DEVICE!, type: 4711n } });
    expect(session.rules()).toEqual([]);
  });
});

describe('mistakes', () => {
  test('a buffer is used after it was destroyed, also in a list, and destroyed twice', () => {
    const session = started();
    session.call('PJRT_Buffer_Destroy', of('buffer', BUFFER));
    session.call('PJRT_Buffer_Dimensions', of('buffer', BUFFER));
    session.call('PJRT_Buffer_Dimensions', of('buffer', BUFFER));
    session.call('PJRT_Buffer_Destroy', of('buffer', BUFFER));
    const { mistakes } = session.end();
    expect(mistakes).toMatchObject([
      {
        rule: 'used-after-destroy',
        requirement: 'CAL-OBJ-001',
        message: 'PJRT_Buffer_Dimensions uses PJRT_Buffer 0x3000 after it was destroyed',
        history: [
          'returned by PJRT_Client_BufferFromHostBuffer (record 5, thread 1)',
          'destroyed by PJRT_Buffer_Destroy (record 7, thread 1)',
        ],
        times: 2,
      },
      { rule: 'destroyed-twice', times: 1 },
    ]);
  });

  test('an argument of an execution was destroyed', () => {
    const session = started();
    compile(session);
    session.call('PJRT_Buffer_Destroy', of('buffer', BUFFER));
    session.call('PJRT_LoadedExecutable_Execute', {
      given: {
        executable: EXECUTABLE!,
        options: ELSEWHERE,
        num_devices: 1n,
        num_args: 2n,
        argument_lists: [[OUTPUT!, BUFFER!]],
      },
    });
    expect(session.end().mistakes.map(({ message }) => message)).toEqual([
      'PJRT_LoadedExecutable_Execute uses PJRT_Buffer 0x3000 after it was destroyed',
    ]);
  });

  test.each<[string, (session: Session) => void, string]>([
    [
      'a device after its client',
      (s) => {
        s.call('PJRT_Buffer_Destroy', of('buffer', BUFFER));
        s.call('PJRT_Event_Destroy', of('event', EVENT));
        s.call('PJRT_Client_Destroy', of('client', CLIENT));
        s.call('PJRT_Device_GetDescription', of('device', DEVICE));
      },
      'used-after-keeper',
    ],
    [
      'a client before its buffer',
      (s) => {
        s.call('PJRT_Event_Destroy', of('event', EVENT));
        s.call('PJRT_Client_Destroy', of('client', CLIENT));
      },
      'outlived-client',
    ],
    ['an event that nobody waited for', (s) => s.call('PJRT_Event_Error', of('event', EVENT)), 'event-read-early'],
    [
      'an event that said that it is not ready',
      (s) => {
        s.call('PJRT_Event_IsReady', of('event', EVENT));
        s.call('PJRT_Event_Error', of('event', EVENT));
      },
      'event-read-early',
    ],
    [
      'an error that is kept',
      (s) => s.call('PJRT_Buffer_Delete', { ...of('buffer', BUFFER), error: ERROR! }),
      'error-not-destroyed',
    ],
    [
      'a deleted buffer',
      (s) => {
        s.call('PJRT_Buffer_Delete', of('buffer', BUFFER));
        s.call('PJRT_Buffer_ToHostBuffer', { given: { src: BUFFER! }, error: ERROR! });
        s.call('PJRT_Error_Destroy', of('error', ERROR));
      },
      'deleted-used',
    ],
    [
      'a donated buffer, as the plugin has said',
      (s) => {
        s.call('PJRT_Buffer_IsDeleted', { ...of('buffer', BUFFER), gives: { is_deleted: 1n } });
        s.call('PJRT_Buffer_ToHostBuffer', { given: { src: BUFFER! }, error: ERROR! });
        s.call('PJRT_Error_Destroy', of('error', ERROR));
      },
      'deleted-used',
    ],
    [
      'more references than taken',
      (s) => {
        s.call('PJRT_Buffer_IncreaseExternalReferenceCount', of('buffer', BUFFER));
        s.call('PJRT_Buffer_DecreaseExternalReferenceCount', of('buffer', BUFFER));
        s.call('PJRT_Buffer_DecreaseExternalReferenceCount', of('buffer', BUFFER));
      },
      'reference-not-taken',
    ],
    [
      'a size of no header',
      (s) => s.call('PJRT_Buffer_IsDeleted', { ...of('buffer', BUFFER), structSize: 20 }),
      'struct-size',
    ],
    ['no buffer', (s) => s.call('PJRT_Buffer_IsDeleted', of('buffer', 0n)), 'null-object'],
    [
      'a buffer of another plugin',
      (s) => s.call('PJRT_Buffer_IsDeleted', { ...of('buffer', BUFFER), plugin: 1 }),
      'other-plugin',
    ],
    [
      'a topology of its client is destroyed',
      (s) => {
        s.call('PJRT_Client_TopologyDescription', { ...of('client', CLIENT), gives: { topology: OUTPUT! } });
        s.call('PJRT_TopologyDescription_Destroy', of('topology', OUTPUT));
      },
      'not-its-own',
    ],
    [
      'an event is set twice',
      (s) => {
        s.call('PJRT_Event_Create', { gives: { event: OUTPUT! } });
        s.call('PJRT_Event_Set', of('event', OUTPUT));
        s.call('PJRT_Event_Set', of('event', OUTPUT));
      },
      'event-set',
    ],
    ['an event of the plugin is set', (s) => s.call('PJRT_Event_Set', of('event', EVENT)), 'event-set'],
    [
      'a buffer is retrieved twice',
      (s) => {
        transfers(s);
        for (const at of [8n, 9n])
          s.call('PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer', {
            ...of('transfer_manager', OUTPUT),
            gives: { buffer_out: at * 0x1000n },
          });
      },
      'retrieved-twice',
    ],
    [
      'a buffer that a transfer manager does not have',
      (s) => {
        transfers(s);
        s.call('PJRT_AsyncHostToDeviceTransferManager_BufferSize', {
          given: { transfer_manager: OUTPUT!, buffer_index: 1n },
        });
      },
      'no-such-buffer',
    ],
    [
      'more data after the last',
      (s) => {
        transfers(s);
        send(s);
        send(s);
      },
      'sent-after-last',
    ],
    [
      'a device of another client',
      (s) => {
        s.call('PJRT_Client_Create', { gives: { client: OUTPUT! } });
        s.call('PJRT_Client_BufferFromHostBuffer', { given: { client: OUTPUT!, device: DEVICE! } });
      },
      'other-client',
    ],
    [
      'dimensions that are not there',
      (s) => s.call('PJRT_Client_BufferFromHostBuffer', { given: { client: CLIENT!, device: DEVICE!, num_dims: 2n } }),
      'null-argument',
    ],
    ['no callback', (s) => s.call('PJRT_Event_OnReady', of('event', EVENT)), 'null-argument'],
    [
      'an argument that is null',
      (s) => {
        compile(s);
        execute(s, [0n]);
      },
      'null-argument',
    ],
    [
      'more arguments than before',
      (s) => {
        compile(s);
        execute(s, [BUFFER!]);
        execute(s, [BUFFER!, BUFFER!], ERROR!);
      },
      'argument-count',
    ],
    [
      'a type that no header has',
      (s) => {
        s.call('PJRT_Client_BufferFromHostBuffer', {
          given: { client: CLIENT!, device: DEVICE!, type: 4711n },
          error: ERROR!,
        });
        s.call('PJRT_Error_Destroy', of('error', ERROR));
      },
      'unknown-value',
    ],
    [
      'a reference that is kept',
      (s) => {
        s.call('PJRT_Buffer_IncreaseExternalReferenceCount', of('buffer', BUFFER));
        s.call('PJRT_Buffer_Destroy', of('buffer', BUFFER));
      },
      'reference-kept',
    ],
    [
      'less memory than a read needs',
      (s) => {
        s.call('PJRT_Buffer_ToHostBuffer', { given: { src: BUFFER! }, gives: { dst_size: 16n } });
        s.call('PJRT_Buffer_ToHostBuffer', { given: { src: BUFFER!, dst: ELSEWHERE, dst_size: 15n } });
      },
      'read-too-small',
    ],
  ])('%s', (_, mistake, rule) => {
    const session = started();
    mistake(session);
    expect(session.rules()).toEqual([rule]);
  });

  test('of one rule ten call sites are shown, and the others counted', () => {
    const session = started();
    session.call('PJRT_Buffer_Destroy', of('buffer', BUFFER));
    const asked = abi.functions.filter((name) => {
      const subject = abi.hasStruct(`${name}_Args`) ? abi.argsOf(name).subject : undefined;
      return /^PJRT_Buffer_/.test(name) && subject?.name === 'buffer' && !/Destroy|Count$/.test(name);
    });
    for (const name of asked) session.call(name, of('buffer', BUFFER));
    const { mistakes, more } = session.end();
    const shown = mistakes.filter(({ rule }) => rule === 'used-after-destroy');
    expect([shown.length, more['used-after-destroy']]).toEqual([10, asked.length - 10]);
  });
});
