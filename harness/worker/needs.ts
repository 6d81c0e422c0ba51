import { dtype } from '../knowledge/numerics/dtypes.ts';
import { generate } from '../knowledge/numerics/generate.ts';
import type { Cause } from '../model/finding.ts';
import { manifestNeed } from '../suite/manifest-need.ts';
import type { PjrtApi } from './pjrt/api.ts';
import { Client } from './pjrt/client.ts';
import { PjrtError } from './pjrt/errors.ts';
import { PluginExtension } from './pjrt/extension-call.ts';
import type { Memory } from './pjrt/memory.ts';
import type { CaseContext, Subject } from './steps/context.ts';
import { demandDeclared } from './steps/declared.ts';
import { causeOfAbsence, firstLine, isRefusal } from './steps/outcome.ts';
import { startPut } from './steps/transfer.ts';

/** A missing precondition of a case. */
interface Need {
  reason: string;
  /** What the plugin does not offer, if that is the reason. */
  cause?: Cause;
}

/** The first precondition of a case that the plugin, or the run, does not meet. */
export function unmetNeed(context: CaseContext): Need | undefined {
  const { requires, client } = context.case;
  const subject = context.subjects[0]!;
  const { api } = subject.plugin;
  // Results are kept by a plugin alone, for comparison with those in company.
  if (requires.plugins !== undefined && context.subjects.length < requires.plugins && !subject.setup.alone?.keeps) {
    return { reason: `needs ${requires.plugins} plugins in one process: give --plugin twice` };
  }
  const unsaid = manifestNeed(requires, subject.setup);
  if (unsaid !== undefined) return { reason: unsaid };
  if (requires.api !== undefined) {
    const young = tooYoung(api, requires.api);
    if (young !== undefined) return { reason: `needs API 0.${requires.api}; ${young}` };
  }
  for (const name of requires.functions ?? []) {
    const absent = api.absence(name);
    if (absent) {
      demandDeclared(context, { function: name }, absent.message);
      return { reason: absent.message, cause: causeOfAbsence(absent) };
    }
  }
  for (const name of requires.extensions ?? []) {
    const found = PluginExtension.find(api, name);
    if (typeof found === 'string') {
      demandDeclared(context, { extension: name }, found);
      return { reason: found, cause: { kind: 'absent', call: name } };
    }
  }
  if (client !== 'shared') return undefined;
  if (requires.devices !== undefined) {
    const devices = context.client.addressableDevices().length;
    if (devices < requires.devices && !useLargerClient(context, requires.devices))
      return { reason: `needs ${requires.devices} addressable devices; the client has ${devices}` };
  }
  if (requires.memories !== undefined) {
    const memories = memoriesOf(context);
    if (memories < requires.memories)
      return { reason: `needs ${requires.memories} memories on a device; there are ${memories}` };
  }
  for (const name of requires.dtypes ?? []) {
    const refusal = dtypeRefusal(context, subject, name);
    if (refusal) {
      demandDeclared(context, { dtype: name }, refusal.reason);
      return refusal;
    }
  }
  for (const shape of requires.shapes ?? []) {
    const refusal = shape.includes(0) ? refusalOf(context, 'f32', shape) : undefined;
    if (refusal) return refusal;
  }
  return undefined;
}

/**
 * Gives the case a client of its own with so many devices, where the plugin has an option for that.
 * @returns whether it has so many
 */
function useLargerClient(context: CaseContext, devices: number): boolean {
  const { deviceCount, options } = context.subjects[0]!.setup;
  if (deviceCount === undefined) return false;
  const count = { kind: 'int64', value: BigInt(devices) } as const;
  context.use(Client.create(context.api, context.arena, { ...options, [deviceCount]: count }));
  return context.client.addressableDevices().length >= devices;
}

/** Number of memories of the first device. @throws CheckFailure if a declared kind is missing */
function memoriesOf(context: CaseContext): number {
  const declared = context.subjects[0]!.setup.declares?.memoryKinds ?? [];
  let memories: Memory[];
  try {
    memories = context.client.addressableDevices()[0]?.memories() ?? [];
  } catch (error) {
    if (error instanceof PjrtError && error.codeName === 'UNIMPLEMENTED') {
      const refusal = `${error.call} returns UNIMPLEMENTED`;
      for (const memoryKind of declared) demandDeclared(context, { memoryKind }, refusal);
    }
    throw error;
  }
  // Kinds are queried only if something is declared.
  const kinds = new Set(declared.length > 0 ? memories.map((memory) => memory.memoryKind()) : []);
  for (const memoryKind of declared) {
    if (kinds.has(memoryKind)) continue;
    const there = kinds.size > 0 ? `only ${[...kinds].join(', ')}` : 'no memory';
    demandDeclared(context, { memoryKind }, `the first device has ${there}`);
  }
  return memories.length;
}

/** Which side does not know what a minor version introduced, in words; undefined if both do. */
function tooYoung({ version, abi, sharedMinor }: PjrtApi, since: number): string | undefined {
  if (sharedMinor >= since) return undefined;
  return version.minor < since ? `the plugin is 0.${version.minor}` : `the harness acts as 0.${abi.minor}`;
}

/** Why the plugin does not support an element type. */
function dtypeRefusal(context: CaseContext, subject: Subject, name: string): Need | undefined {
  const type = dtype(name);
  const young = tooYoung(subject.plugin.api, type.since);
  if (young !== undefined) return { reason: `${name} came with API 0.${type.since}; ${young}` };
  return refusalOf(context, name, [1]);
}

const refusals = new WeakMap<Client, Map<string, Need | undefined>>();

/** Why the plugin does not support an array; tested once per client by a transfer. */
function refusalOf(context: CaseContext, name: string, shape: number[]): Need | undefined {
  const known = refusals.get(context.client) ?? new Map<string, Need | undefined>();
  refusals.set(context.client, known);
  const what = shape.includes(0) ? `${name}[${shape}]` : name;
  if (!known.has(what)) known.set(what, tryArray(context, what, { dtype: name, shape }));
  return known.get(what);
}

function tryArray(context: CaseContext, what: string, iota: { dtype: string; shape: number[] }): Need | undefined {
  const array = generate({ iota });
  try {
    startPut(context, array).destroy();
    return undefined;
  } catch (error) {
    if (!(error instanceof PjrtError)) throw error;
    // Any other error of a plain transfer is left to the case to report.
    if (!isRefusal(error)) return undefined;
    const { call, codeName, text } = error;
    const message = firstLine(text);
    return {
      reason: `the plugin cannot hold ${what}: ${codeName}: ${message}`,
      cause: { kind: 'refused', call, code: codeName, message, dtype: what },
    };
  }
}
