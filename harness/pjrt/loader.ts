import type { Arena } from '../ffi/memory.ts';
import type { PluginLoader } from '../plugins/registry.ts';
import type { Caller } from '../wire/caller.ts';
import { Client } from './client.ts';
import type { Instrument } from './instrument.ts';
import { Plugin } from './plugin.ts';

/** The native side of a plugin registry: maps libraries into this process and calls them. */
export const nativeLoader = (
  instrument: Instrument,
  arena: Arena,
  binding: 'now' | 'lazy' = 'now',
  caller: Caller = {},
): PluginLoader<Plugin, Client> => ({
  load: (name, library) => Plugin.load(name, library, binding, instrument, caller),
  initialize: ({ api }) => api.initialize(),
  createClient: ({ api }, options) => Client.create(api.api, arena, options),
});
