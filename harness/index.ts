/** What other programs may import: the plugin registry with the RFC's verbs, finding plugins, and reading the event log. */
export { Arena } from './ffi/memory.ts';
export { Client } from './pjrt/client.ts';
export { Instrument } from './pjrt/instrument.ts';
export { nativeLoader } from './pjrt/loader.ts';
export type { Plugin } from './pjrt/plugin.ts';
export { type Discovered, discover } from './plugins/discover.ts';
export { PluginError } from './plugins/plugin-error.ts';
export { type PluginInfo, type PluginLoader, PluginRegistry } from './plugins/registry.ts';
export { type ResolveContext, resolvePlugin } from './plugins/resolve.ts';
export type { Manifest, Options, ResolvedPlugin, TypedOption } from './plugins/types.ts';
export * from './report/index.ts';
