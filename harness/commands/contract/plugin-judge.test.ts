import { describe, expect, test } from 'vitest';
import { type How, Session as JudgedSession } from './judged-session.test-helper.ts';
import { PluginJudge } from './plugin-judge.ts';
import type { PLUGIN_RULES } from './plugin-rules.ts';

/** Each rule on what it is for, and on what looks like it and is none. */

class Session extends JudgedSession<PluginJudge> {
  constructor() {
    super(new PluginJudge());
  }
}

const [CLIENT, DEVICE, BUFFER, EVENT, ERROR, EXECUTABLE, OTHER] = [1n, 2n, 3n, 4n, 5n, 6n, 7n].map((n) => n * 0x1000n);
const ELSEWHERE = 0x7777n;

/** A client with a buffer and its ready event. */
function started(): Session {
  const session = new Session();
  session.call('PJRT_Client_Create', { gives: { client: CLIENT! } });
  put(session);
  session.call('PJRT_Buffer_ReadyEvent', { given: { buffer: BUFFER! }, gives: { event: EVENT! } });
  return session;
}
const put = (session: Session) =>
  session.call('PJRT_Client_BufferFromHostBuffer', {
    given: { client: CLIENT!, device: DEVICE! },
    gives: { buffer: BUFFER!, done_with_host_buffer: OTHER! },
  });
const about = (session: Session, name: string, of: How['given'], gives: How['given'] = {}, more: How = {}) =>
  session.call(name, { given: of, gives, ...more });
const isReady = (session: Session, ready: boolean) =>
  about(session, 'PJRT_Event_IsReady', { event: EVENT! }, { is_ready: ready ? 1n : 0n });
const await_ = (session: Session, more: How = {}) => about(session, 'PJRT_Event_Await', { event: EVENT! }, {}, more);
const isDeleted = (session: Session, deleted: boolean) =>
  about(session, 'PJRT_Buffer_IsDeleted', { buffer: BUFFER! }, { is_deleted: deleted ? 1n : 0n });
const size = (session: Session, bytes: bigint) =>
  about(session, 'PJRT_Buffer_OnDeviceSizeInBytes', { buffer: BUFFER! }, { on_device_size_in_bytes: bytes });
const execute = (session: Session) =>
  session.call('PJRT_LoadedExecutable_Execute', {
    given: {
      ...{ executable: EXECUTABLE!, options: ELSEWHERE },
      ...{ num_devices: 1n, num_args: 1n, argument_lists: [[BUFFER!]] },
    },
  });

const breaches: Readonly<Record<keyof typeof PLUGIN_RULES, (session: Session) => void>> = {
  'input-changed': (session) =>
    about(session, 'PJRT_Buffer_IsDeleted', { buffer: BUFFER! }, {}, { spoils: { buffer: OTHER! } }),
  'answer-changed': (session) => {
    size(session, 16n);
    size(session, 32n);
  },
  'not-ready-again': (session) => {
    await_(session);
    isReady(session, false);
  },
  'called-back-twice': () => {},
  'two-endings': (session) => {
    const call = about(session, 'PJRT_Event_OnReady', { event: EVENT! });
    await_(session);
    session.fired(call, ERROR!);
  },
  'buffer-deleted-unasked': (session) => isDeleted(session, true),
  'executable-deleted-unasked': (session) => {
    session.call('PJRT_Client_Compile', { given: { client: CLIENT! }, gives: { executable: EXECUTABLE! } });
    about(session, 'PJRT_LoadedExecutable_IsDeleted', { executable: EXECUTABLE! }, { is_deleted: 1n });
  },
  'buffer-not-deleted': (session) => {
    execute(session);
    isDeleted(session, true);
    isDeleted(session, false);
  },
  'executable-not-deleted': (session) => {
    about(session, 'PJRT_LoadedExecutable_Delete', { executable: EXECUTABLE! });
    about(session, 'PJRT_LoadedExecutable_IsDeleted', { executable: EXECUTABLE! }, { is_deleted: 0n });
  },
};

test.each(Object.entries(breaches).filter(([rule]) => rule !== 'called-back-twice'))('%s', (rule, breach) => {
  const session = started();
  breach(session);
  expect(session.rules()).toEqual([rule]);
});

test('called-back-twice', () => {
  const judge = new PluginJudge();
  judge.calledBackAgain({ of: 7, thread: 1 });
  expect(judge.end().mistakes.map(({ rule }) => rule)).toEqual(['called-back-twice']);
});

describe('nothing is said of', () => {
  test.each<[string, (session: Session) => void]>([
    [
      'an event that becomes ready',
      (session) => {
        for (const ready of [false, true, true]) isReady(session, ready);
      },
    ],
    [
      'an event that is waited for by a plugin that cannot wait',
      (session) => {
        const call = about(session, 'PJRT_Event_OnReady', { event: EVENT! });
        await_(session, { error: ERROR!, code: 12 });
        session.fired(call);
      },
    ],
    [
      'a question that was asked before an answer was known',
      (session) => {
        const early = session.enter('PJRT_Event_IsReady', { given: { event: EVENT! }, gives: { is_ready: 0n } });
        await_(session);
        session.leave(early);
      },
    ],
    [
      'an object at the address of another',
      (session) => {
        size(session, 16n);
        about(session, 'PJRT_Buffer_Destroy', { buffer: BUFFER! });
        put(session);
        size(session, 32n);
      },
    ],
    [
      'a buffer that an execution may have taken over',
      (session) => {
        size(session, 16n);
        execute(session);
        isDeleted(session, true);
        size(session, 0n);
      },
    ],
    [
      'a buffer that was given to a function which may do anything with it',
      (session) => {
        about(session, 'PJRT_Buffer_DonateWithControlDependency', { buffer: BUFFER! });
        isDeleted(session, true);
      },
    ],
    [
      'an object that nobody was seen making',
      (session) => about(session, 'PJRT_Buffer_IsDeleted', { buffer: OTHER! }, { is_deleted: 1n }),
    ],
    [
      'devices of another client at the same address',
      (session) => {
        const id = (value: bigint) =>
          about(session, 'PJRT_DeviceDescription_Id', { device_description: DEVICE! }, { id: value });
        id(1n);
        about(session, 'PJRT_Client_Destroy', { client: CLIENT! });
        id(2n);
      },
    ],
    [
      'memory of a device, which changes',
      (session) => {
        for (const bytes of [1n, 2n])
          about(session, 'PJRT_Device_MemoryStats', { device: DEVICE! }, { bytes_in_use: bytes });
      },
    ],
    [
      'a call that failed',
      (session) => about(session, 'PJRT_Buffer_IsDeleted', { buffer: BUFFER! }, { is_deleted: 1n }, { error: ERROR! }),
    ],
  ])('%s', (_, act) => {
    const session = started();
    act(session);
    expect(session.rules()).toEqual([]);
  });
});
