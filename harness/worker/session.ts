import { Breadcrumb } from '../ffi/breadcrumb.ts';
import { LibraryError } from '../ffi/library.ts';
import { Arena } from '../ffi/memory.ts';
import type { Client } from '../pjrt/client.ts';
import { ApiError, PjrtError } from '../pjrt/errors.ts';
import { Instrument } from '../pjrt/instrument.ts';
import { nativeLoader } from '../pjrt/loader.ts';
import type { Plugin } from '../pjrt/plugin.ts';
import { PluginRegistry } from '../plugins/registry.ts';
import type { PluginFacts } from '../report/events.ts';
import type { Seat } from '../steps/context.ts';
import type { Case } from '../suite/types.ts';
import type { FromWorker, WorkerResult, WorkerSetup } from '../wire/protocol.ts';
import { attributeFacts, clientFacts, extensionFacts, tableFacts } from './inspect.ts';
import { runCase } from './run-case.ts';

type Send = (message: FromWorker) => void;
type Failure = NonNullable<PluginFacts['failure']>;

/** The plugins of one worker process, from dlopen to the last case. */
export class Session {
  readonly #setup: WorkerSetup;
  readonly #instrument: Instrument;
  readonly #send: Send;
  readonly #seats: Seat[] = [];
  readonly #registry: PluginRegistry<Plugin, Client>;

  constructor(setup: WorkerSetup, send: Send) {
    this.#setup = setup;
    this.#send = send;
    this.#instrument = new Instrument(new Breadcrumb(setup.breadcrumbPath));
    this.#instrument.guard = setup.guard;
    this.#registry = new PluginRegistry(nativeLoader(this.#instrument, new Arena(), setup.binding));
  }

  /**
   * Loads and initializes every plugin and creates the shared clients. What is learnt is sent at once, fact by fact, so
   * that a crash in the middle loses none of it. A failure is a fact too.
   */
  async prepare(): Promise<void> {
    for (const [i, setup] of this.#setup.plugins.entries()) {
      const tell = (facts: Partial<PluginFacts>) => this.#send({ type: 'facts', plugin: i, facts });
      let plugin: Plugin;
      try {
        plugin = (await this.#registry.load(setup.name, setup.library, setup.options)).api;
      } catch (error) {
        tell({ failure: failureOf('load', error) });
        return;
      }
      const { api } = plugin;
      tell(tableFacts(api));
      tell(extensionFacts(api));
      this.#seats.push({ plugin, setup, client: undefined });
      try {
        await this.#registry.initialize(setup.name);
        if (api.has('PJRT_Plugin_Attributes')) tell(attributeFacts(plugin));
      } catch (error) {
        tell({ failure: failureOf('initialize', error) });
        return;
      }
    }
    if (this.#setup.clients) await this.#createClients();
  }

  async #createClients(): Promise<void> {
    for (const [i, seat] of this.#seats.entries()) {
      try {
        seat.client = await this.#registry.createClient(seat.setup.name);
        this.#send({ type: 'facts', plugin: i, facts: clientFacts(seat.client) });
      } catch (error) {
        this.#send({ type: 'facts', plugin: i, facts: { failure: failureOf('client', error) } });
      }
    }
    this.#instrument.breadcrumb?.idle();
  }

  async run(number: number, testCase: Case): Promise<WorkerResult> {
    this.#instrument.breadcrumb?.case(number);
    const result = await runCase(testCase, this.#seats, this.#instrument);
    this.#instrument.breadcrumb?.case(0);
    return result;
  }

  /** Destroys the shared clients; what goes wrong there is nobody's case. */
  close(): void {
    for (const seat of this.#seats) seat.client?.destroy();
    this.#instrument.breadcrumb?.idle();
  }
}

function failureOf(stage: Failure['stage'], error: unknown): Failure {
  if (error instanceof PjrtError) return { stage, message: error.text, code: error.codeName };
  if (error instanceof ApiError) return { stage: error.stage, message: error.message };
  if (error instanceof LibraryError) return { stage: 'load', message: error.message };
  return { stage, message: error instanceof Error ? error.message : String(error) };
}
