import type { WirePlugin } from '../../host/wire/protocol.ts';
import { NotSupported } from './outcome.ts';

/** Create options of XLA's plugins for the clients of a job of several nodes. */
export const NODE_OPTIONS = { count: 'num_nodes', index: 'node_id' } as const;

/** @throws NotSupported if the plugin's manifest does not know the options of nodes */
export function demandNodeOptions({ knownOptions = {} }: Pick<WirePlugin, 'knownOptions'>): void {
  for (const name of Object.values(NODE_OPTIONS))
    if (knownOptions[name] !== 'int64')
      throw new NotSupported(`the plugin's manifest knows no option ${name}: no job of several nodes`);
}
