import { dtype } from '../numerics/dtypes.ts';
import { generate } from '../numerics/generate.ts';
import type { PjrtApi } from '../pjrt/api.ts';
import type { Client } from '../pjrt/client.ts';
import { PjrtError } from '../pjrt/errors.ts';
import { PluginExtension } from '../pjrt/extension-call.ts';
import type { CaseContext, Seat } from '../steps/context.ts';
import { demandDeclared } from '../steps/declared.ts';
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
  if (requires.api !== undefined) {
    const young = tooYoung(api, requires.api);
    if (young !== undefined) return `needs API 0.${requires.api}; ${young}`;
  }
  for (const name of requires.functions ?? []) {
    const absent = api.absence(name);
    if (absent) {
      demandDeclared(context, { function: name }, absent.message);
      return absent.message;
    }
  }
  for (const name of requires.extensions ?? []) {
    const found = PluginExtension.find(api, name);
    if (typeof found === 'string') {
      demandDeclared(context, { extension: name }, found);
      return found;
    }
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
    if (refusal) {
      demandDeclared(context, { dtype: name }, refusal);
      return refusal;
    }
  }
  return undefined;
}

/** Which side does not know what came with a minor version, in words; undefined when both do. */
function tooYoung({ version, abi, sharedMinor }: PjrtApi, since: number): string | undefined {
  if (sharedMinor >= since) return undefined;
  return version.minor < since ? `the plugin is 0.${version.minor}` : `the harness acts as 0.${abi.minor}`;
}

const refusals = new WeakMap<Client, Map<string, string | undefined>>();

/** Why the plugin cannot hold an element type; found once a client by a one-element transfer. */
function dtypeRefusal(context: CaseContext, seat: Seat, name: string): string | undefined {
  const type = dtype(name);
  const young = tooYoung(seat.plugin.api, type.since);
  if (young !== undefined) return `${name} came with API 0.${type.since}; ${young}`;
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
