import { extensionNamed } from '../abi/index.ts';
import { dtype } from '../numerics/dtypes.ts';
import { generate } from '../numerics/generate.ts';
import type { Client } from '../pjrt/client.ts';
import { PjrtError } from '../pjrt/errors.ts';
import { walkExtensions } from '../pjrt/extensions.ts';
import type { CaseContext, Seat } from '../steps/context.ts';
import { startPut } from '../steps/transfer.ts';

/** What a case needs and the plugin, or the run, does not have: the first thing missing, in words. */
export function unmetNeed(context: CaseContext): string | undefined {
  const { requires, client } = context.case;
  const seat = context.seats[0]!;
  const { api } = seat.plugin;
  if (requires.plugins !== undefined && context.seats.length < requires.plugins) {
    return `needs ${requires.plugins} plugins in one process: give --plugin twice`;
  }
  for (const key of requires.manifest ?? []) {
    if ((seat.setup as unknown as Record<string, unknown>)[key] === undefined)
      return `the plugin's manifest has no \`${key}\``;
  }
  if (requires.api !== undefined && api.version.minor < requires.api) {
    return `needs API 0.${requires.api}; the plugin is 0.${api.version.minor}`;
  }
  for (const name of requires.functions ?? []) {
    const slot = api.slot(name);
    if (slot === undefined) return `${name} is not in the plugin's API version 0.${api.version.minor}`;
    if (slot === 0n) return `${name} is NULL in the plugin's table`;
  }
  for (const name of requires.extensions ?? []) {
    const { type } = extensionNamed(name);
    if (!walkExtensions(api).nodes.some((n) => n.type === type)) return `the plugin has no ${name} extension`;
  }
  if (client !== 'shared') return undefined;
  if (requires.devices !== undefined) {
    const devices = context.client.addressableDevices().length;
    if (devices < requires.devices) return `needs ${requires.devices} addressable devices; the client has ${devices}`;
  }
  if (requires.memories !== undefined) {
    const memories = context.client.addressableDevices()[0]?.memories().length ?? 0;
    if (memories < requires.memories) return `needs ${requires.memories} memories on a device; there are ${memories}`;
  }
  for (const name of requires.dtypes ?? []) {
    const refusal = dtypeRefusal(context, seat, name);
    if (refusal) return refusal;
  }
  return undefined;
}

const refusals = new WeakMap<Client, Map<string, string | undefined>>();

/** Why the plugin cannot hold an element type; found once a client by a one-element transfer. */
function dtypeRefusal(context: CaseContext, seat: Seat, name: string): string | undefined {
  const type = dtype(name);
  if (seat.plugin.api.version.minor < type.since) {
    return `${name} came with API 0.${type.since}; the plugin is 0.${seat.plugin.api.version.minor}`;
  }
  const client = context.client;
  const known = refusals.get(client) ?? new Map<string, string | undefined>();
  refusals.set(client, known);
  if (!known.has(name)) {
    const array = generate({ iota: { dtype: name, shape: [1] } }, () => {
      throw new Error('no reference to resolve');
    });
    try {
      startPut(context, array).destroy();
      known.set(name, undefined);
    } catch (error) {
      if (!(error instanceof PjrtError)) throw error;
      known.set(name, `the plugin cannot hold ${name}: ${error.codeName}: ${error.text.split('\n')[0]}`);
    }
  }
  return known.get(name);
}
