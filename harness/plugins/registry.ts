import { resolve } from 'node:path';
import { closest, distance } from 'fastest-levenshtein';
import { PluginError } from './plugin-error.ts';
import type { Options } from './types.ts';

/** What is stored of a plugin once it is loaded; never changes (the RFC's PluginInfo). */
export interface PluginInfo<Api> {
  readonly name: string;
  readonly library: string;
  /** What loading gave: the function table or an object around it. */
  readonly api: Api;
  readonly configValues: Readonly<Options>;
}

/** The native side, given by whoever may touch it: this folder knows no FFI. */
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
  /** Names keep the spelling they were registered with. */
  name: string;
  initialized?: Promise<void>;
}

/**
 * The plugins of a process and the RFC's verbs on them: load, names, initialize (once), createClient. Names are compared
 * without regard to case, because framework platform names are.
 */
export class PluginRegistry<Api, Client> {
  readonly #loader: PluginLoader<Api, Client>;
  readonly #entries = new Map<string, Entry<Api>>();

  constructor(loader: PluginLoader<Api, Client>) {
    this.#loader = loader;
  }

  /** Loads a library under a name, with the config values that every client of it is created with. */
  async load(name: string, libraryPath: string, configValues: Options = {}): Promise<PluginInfo<Api>> {
    const key = name.toLowerCase();
    const library = resolve(libraryPath);
    const taken = this.#entries.get(key);
    if (taken !== undefined) {
      const message = `the plugin name "${name}" is taken: ${taken.library} is registered as "${taken.name}", ${library} cannot be; choose another name with --plugin other-name=${library}`;
      throw new PluginError('plugin-duplicate', message);
    }
    // Taken before the first await: two loads at once must not both win.
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

  /** Names of the loaded plugins, in the order of loading. */
  names(): string[] {
    return [...this.#entries.values()].filter(({ info }) => info !== undefined).map(({ name }) => name);
  }

  /** What is stored of a plugin. Throws where no plugin has the name. */
  info(name: string): PluginInfo<Api> {
    return this.#loaded(name).info;
  }

  /** Initializes a plugin; the second and later calls give the outcome of the first, a failure included. */
  initialize(name: string): Promise<void> {
    const { entry, info } = this.#loaded(name);
    entry.initialized ??= (async () => this.#loader.initialize(info))();
    return entry.initialized;
  }

  /** Initializes the plugin if need be and creates a client; `options` go over the plugin's config values. */
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
