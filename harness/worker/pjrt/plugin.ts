import type { Caller } from '../../knowledge/abi/caller.ts';
import { exportedSymbols } from '../../knowledge/binary/elf-symbols.ts';
import { functionAt } from '../ffi/function.ts';
import { openLibrary } from '../ffi/library.ts';
import { PjrtApi } from './api.ts';
import { ApiError } from './errors.ts';
import { type ExtensionChain, walkExtensions } from './extensions.ts';
import type { Instrument } from './instrument.ts';
import { type NamedValue, readNamedValues } from './named-values.ts';

/** A plugin mapped into this process. */
export class Plugin {
  readonly name: string;
  readonly path: string;
  readonly api: PjrtApi;
  readonly getPjrtApi: () => bigint | null;
  /** The table and its extensions as they were before the first call; empty until `initialize`. */
  atLoad: { table: Uint8Array; extensions: ExtensionChain } = {
    table: new Uint8Array(),
    extensions: { nodes: [], faults: [] },
  };
  #initialized = false;
  #attributes: NamedValue[] | undefined;

  private constructor(name: string, path: string, api: PjrtApi, getPjrtApi: () => bigint | null) {
    this.name = name;
    this.path = path;
    this.api = api;
    api.plugin = name;
    this.getPjrtApi = getPjrtApi;
  }

  /** Maps the library and gets its function table. @throws LibraryError, ApiError */
  static load(
    name: string,
    path: string,
    binding: 'now' | 'lazy',
    instrument: Instrument,
    caller: Caller = {},
  ): Plugin {
    const library = instrument.native('dlopen', () => openLibrary(path, binding));
    const symbol = library.symbol('GetPjrtApi');
    if (symbol === undefined) {
      const similar = exportedSymbols(path)?.find(({ name }) => /pjrt_?api/i.test(name));
      throw new ApiError(
        'no-entry-point',
        `the library exports no GetPjrtApi${similar ? `, but it does export ${similar.name}` : ''}; the symbol must be spelled exactly so and be extern "C"`,
      );
    }
    const raw = functionAt(symbol, 'void* GetPjrtApi()') as () => bigint | null;
    const getPjrtApi = () => instrument.native('GetPjrtApi', raw);
    const table = getPjrtApi();
    if (table === null) throw new ApiError('no-table', 'GetPjrtApi returned NULL instead of a PJRT_Api table');
    return new Plugin(name, path, new PjrtApi(table, instrument, caller), getPjrtApi);
  }

  /** PJRT_Plugin_Initialize, once. @throws PjrtError */
  initialize(): void {
    if (this.#initialized) return;
    this.atLoad = { table: this.api.tableImage(), extensions: walkExtensions(this.api) };
    if (this.api.has('PJRT_Plugin_Initialize')) this.api.invoke('PJRT_Plugin_Initialize', {});
    this.#initialized = true;
  }

  attributes(): NamedValue[] {
    return this.api.invoke('PJRT_Plugin_Attributes', {}, (call) =>
      readNamedValues(this.api, call.word('attributes'), call.size('num_attributes')),
    );
  }

  /** The newest or oldest StableHLO version that programs may have, from the plugin's attributes; cached. */
  stablehloVersion(which: 'current' | 'minimum'): [number, number, number] | undefined {
    this.#attributes ??= this.attributes();
    const value = this.#attributes.find((a) => a.name === `stablehlo_${which}_version`)?.value;
    return Array.isArray(value) && value.length >= 3 ? [value[0]!, value[1]!, value[2]!] : undefined;
  }
}
