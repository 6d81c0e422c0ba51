import { setTimeout as sleep } from 'node:timers/promises';
import type { Options } from '../../../model/plugin.ts';
import type { Arena } from '../../ffi/memory.ts';
import { startPython } from '../../ffi/start-python.ts';
import type { PjrtApi } from '../../pjrt/api.ts';
import { Client } from '../../pjrt/client.ts';
import type { Device, DeviceDescription } from '../../pjrt/device.ts';
import { AbsentError, BadDataError, PjrtError } from '../../pjrt/errors.ts';
import type { Instrument } from '../../pjrt/instrument.ts';
import { makeNamedValues } from '../../pjrt/named-values.ts';
import { Plugin } from '../../pjrt/plugin.ts';
import { CaseContext } from '../../steps/context.ts';
import { launch } from './launch.ts';
import type { NodeFacts, NodeResults, NodeSetup, NodeTasks, ProcessInfo, TaskName } from './node-tasks.ts';
import { type StoreCallbacks, startStoreCallbacks } from './store-callbacks.ts';

/** The plugin and the client of a node. */
export class NodeClient {
  readonly #instrument: Instrument;
  readonly #arena: Arena;
  readonly #store: number;
  #setup: NodeSetup | undefined;
  #plugin: Plugin | undefined;
  #callbacks: StoreCallbacks | undefined;
  #client: Client | undefined;

  /** @param store descriptor of the socket to the store */
  constructor(instrument: Instrument, arena: Arena, store: number) {
    this.#instrument = instrument;
    this.#arena = arena;
    this.#store = store;
  }

  /** Does one task. */
  async do<T extends TaskName>(task: T, about: NodeTasks[T]): Promise<NodeResults[T]> {
    const tasks: { [N in TaskName]: (about: NodeTasks[N]) => NodeResults[N] | Promise<NodeResults[N]> } = {
      load: (setup) => this.#load(setup),
      create: ({ options, afterMs = 0 }) => sleep(afterMs).then(() => this.#create(options)),
      facts: () => factsOf(this.#own),
      run: (what) => launch(this.#context(), this.#own, what),
      processes: ({ infos }) => updateProcesses(this.#own, this.#arena, infos),
      destroy: () => this.#destroy(),
      values: () => this.#callbacks?.values() ?? { given: 0, deleted: 0, misdeleted: 0 },
      leave: () => null,
    };
    return tasks[task](about);
  }

  get #own(): Client {
    if (!this.#client) throw new Error('this node has no client');
    return this.#client;
  }

  async #load(setup: NodeSetup): Promise<null> {
    this.#setup = setup;
    const { name, library, python } = setup.plugin;
    if (python) startPython(python);
    this.#plugin = Plugin.load(name, library, 'now', this.#instrument);
    this.#plugin.initialize();
    this.#callbacks = await startStoreCallbacks(this.#plugin.api, this.#store);
    return null;
  }

  /** On another thread, so that this process can still say that it lives. */
  async #create(options: Options): Promise<null> {
    const { api } = this.#plugin!;
    const named = makeNamedValues(api, this.#arena, options);
    const pointer = await api.invokeAsync(
      'PJRT_Client_Create',
      (call) => {
        call.setWord('create_options', named.address);
        call.setSize('num_options', named.count);
        this.#callbacks!.lend(call);
      },
      (call) => call.word('client'),
    );
    if (pointer === 0n) throw new BadDataError('PJRT_Client_Create succeeded, but its client is NULL');
    this.#client = new Client(api, pointer);
    return null;
  }

  async #destroy(): Promise<null> {
    const client = this.#own;
    client.disown();
    await client.api.invokeAsync('PJRT_Client_Destroy', (call) => call.setWord('client', client.pointer));
    this.#client = undefined;
    return null;
  }

  #context(): CaseContext {
    const { plugin: setup, case: testCase } = this.#setup!;
    return new CaseContext(testCase, [{ plugin: this.#plugin!, setup, client: this.#own }], this.#instrument);
  }
}

function factsOf(client: Client): NodeFacts {
  const place = (description: DeviceDescription) => ({ id: description.id(), process: processOf(description) });
  const topology = ifOffered(() => client.topology().deviceDescriptions().map(place));
  return {
    processIndex: client.processIndex(),
    devices: client.devices().map((device) => ({ ...place(device.description()), addressable: isAddressable(device) })),
    addressable: client.addressableDevices().map((device) => device.id()),
    ...(topology ? { topology } : {}),
  };
}

const processOf = ({ api, pointer }: DeviceDescription): number =>
  api.invoke(
    'PJRT_DeviceDescription_ProcessIndex',
    (call) => call.setWord('device_description', pointer),
    (call) => call.int('process_index'),
  );

const isAddressable = ({ api, pointer }: Device): boolean =>
  api.invoke(
    'PJRT_Device_IsAddressable',
    (call) => call.setWord('device', pointer),
    (call) => call.byte('is_addressable') !== 0,
  );

function ifOffered<T>(query: () => T): T | undefined {
  try {
    return query();
  } catch (error) {
    if (error instanceof AbsentError || (error instanceof PjrtError && error.codeName === 'UNIMPLEMENTED'))
      return undefined;
    throw error;
  }
}

function updateProcesses({ api, pointer }: Client, arena: Arena, infos: readonly ProcessInfo[]): null {
  const list = api.make(arena, 'PJRT_ProcessInfo', infos.length);
  infos.forEach((info, i) => {
    const view = list.at(i);
    view.setInt('task_id', info.task);
    view.setWord('incarnation_id', info.incarnation);
    view.setInt('state', enumValue(api, 'PJRT_ProcessState', `PJRT_ProcessState_${info.state}`));
    if (!info.error) return;
    const message = arena.text(info.error.message);
    view.setInt('error_code', enumValue(api, 'PJRT_Error_Code', `PJRT_Error_Code_${info.error.code}`));
    view.setWord('error_message', message.address);
    view.setSize('error_message_size', message.length);
  });
  api.invoke('PJRT_Client_UpdateGlobalProcessInfo', (call) => {
    call.setWord('client', pointer);
    call.setWord('process_infos', list.address);
    call.setSize('num_process_infos', infos.length);
  });
  return null;
}

const enumValue = (api: PjrtApi, type: string, name: string): number => api.abi.enumValue(type, name);
