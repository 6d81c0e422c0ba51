import { resolve } from 'node:path';
import { closest, distance } from 'fastest-levenshtein';
import { PluginError } from './plugin-error.ts';
import type { Options } from './types.ts';

/** Immutable facts about a loaded plugin (the RFC's PluginInfo). */
export interface PluginInfo<Api> {
  readonly name: string;
  readonly library: string;
  /** Result of loading: the function table or an object around it. */
  readonly api: Api;
  readonly configValues: Readonly<Options>;
}

/** The native side, provided by the caller: this directory does not use FFI. */
export interface PluginLoader<Api, Client> {
  /** dlopen and GetPjrtApi. */
  load(name: string, library: string): Api | Promise<Api>;
  /** PJRT_Plugin_Initialize. */
  initialize(info: PluginInfo<Api>): void | Promise<void>;
  /** PJRT_Client_Create. */
  createClient(info: PluginInfo<Api>, options: Readonly<Options>): Client | Promise<Client>;
}

const freezeOptions = (options: Options): Readonly<Options> => {
  const copy = structuredClone(options);
  for (const option of Object.values(copy)) {
    if (option.kind === 'int64_list') Object.freeze(option.value);
    Object.freeze(option);
  }
  return Object.freeze(copy);
};

interface Entry<Api> {
  info: PluginInfo<Api> | undefined;
  library: string;
  /** Names keep the case they were registered with. */
  name: string;
  initialized?: Promise<void>;
}

/**
 * The plugins of a process and the RFC's operations on them: load, names, initialize (once), createClient. Names are compared
 * ignoring case, because framework platform names are.
 */
export class PluginRegistry<Api, Client> {
  readonly #loader: PluginLoader<Api, Client>;
  readonly #entries = new Map<string, Entry<Api>>();

  constructor(loader: PluginLoader<Api, Client>) {
    this.#loader = loader;
  }

  /** Loads a library under a name, with config values for all its clients. */
  async load(name: string, libraryPath: string, configValues: Options = {}): Promise<PluginInfo<Api>> {
    const key = name.toLowerCase();
    const library = resolve(libraryPath);
    const taken = this.#entries.get(key);
    if (taken !== undefined) {
      const message = `the plugin name "${name}" is taken: ${taken.library} is registered as "${taken.name}", ${library} cannot be; choose another name with --plugin other-name=${library}`;
      throw new PluginError('plugin-duplicate', message);
    }
    // Reserved before the first await: two concurrent loads must not both succeed.
    const entry: Entry<Api> = { info: undefined, library, name };
    this.#entries.set(key, entry);
    try {
      const configuration = freezeOptions(configValues);
      const api = await this.#loader.load(name, library);
      entry.info = Object.freeze({ name, library, api, configValues: configuration });
      return entry.info;
    } catch (error) {
      this.#entries.delete(key);
      throw error;
    }
  }

  /** Names of the loaded plugins, in loading order. */
  names(): string[] {
    return [...this.#entries.values()].filter(({ info }) => info !== undefined).map(({ name }) => name);
  }

  /** Facts about a plugin. Throws if no plugin has the name. */
  info(name: string): PluginInfo<Api> {
    return this.#loaded(name).info;
  }

  /** Initializes a plugin; later calls return the outcome of the first, also a failure. */
  initialize(name: string): Promise<void> {
    const { entry, info } = this.#loaded(name);
    entry.initialized ??= (async () => this.#loader.initialize(info))();
    return entry.initialized;
  }

  /** Initializes the plugin if necessary and creates a client; `options` override the plugin's config values. */
  async createClient(name: string, options: Options = {}): Promise<Client> {
    const { info } = this.#loaded(name);
    await this.initialize(name);
    return this.#loader.createClient(info, Object.freeze({ ...info.configValues, ...options }));
  }

  #loaded(name: string): { entry: Entry<Api>; info: PluginInfo<Api> } {
    const entry = this.#entries.get(name.toLowerCase());
    if (entry?.info !== undefined) return { entry, info: entry.info };
    const names = this.names();
    const best = names.length > 0 ? closest(name.toLowerCase(), names) : '';
    const hint = best !== '' && distance(name.toLowerCase(), best) <= 3 ? `; did you mean "${best}"?` : '';
    const loaded = names.length > 0 ? `loaded: ${names.join(', ')}` : 'none is loaded';
    throw new PluginError('plugin-not-registered', `no plugin "${name}" is loaded (${loaded})${hint}`);
  }
}
