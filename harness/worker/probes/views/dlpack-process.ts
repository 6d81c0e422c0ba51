import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { packagePath } from '../../../base/paths.ts';
import type { StructLayout } from '../../../knowledge/abi/index.ts';
import type { HostArray } from '../../../knowledge/numerics/array.ts';
import { PjrtError } from '../../pjrt/errors.ts';
import type { CaseContext } from '../../steps/context.ts';
import { CheckFailure, NotSupported, SuiteFault } from '../../steps/outcome.ts';
import { elementType, list, number, oneOf, optional, text, type Values } from '../probe.ts';
import { hashed, violated } from '../support/checks.ts';
import { send } from '../support/sending.ts';
import { pythonWith } from './python.ts';

const PROGRAM = join(packagePath('consumers', 'dlpack'), 'main.py');

const PIPE_GRACE_MS = 500;

/** What the process calls; it gets no layout of any other function. */
const FUNCTIONS = [
  'PJRT_Error_Destroy',
  'PJRT_Error_Message',
  'PJRT_Error_GetCode',
  'PJRT_Plugin_Initialize',
  'PJRT_Event_Destroy',
  'PJRT_Event_IsReady',
  'PJRT_Event_Error',
  'PJRT_Event_Await',
  'PJRT_Client_Create',
  'PJRT_Client_PlatformName',
  'PJRT_Client_AddressableDevices',
  'PJRT_Client_BufferFromHostBuffer',
  'PJRT_Client_CreateViewOfDeviceBuffer',
  'PJRT_Device_DefaultMemory',
  'PJRT_Buffer_Destroy',
  'PJRT_Buffer_Dimensions',
  'PJRT_Buffer_GetMemoryLayout',
  'PJRT_Buffer_Delete',
  'PJRT_Buffer_ToHostBuffer',
  'PJRT_Buffer_ReadyEvent',
  'PJRT_Buffer_IncreaseExternalReferenceCount',
  'PJRT_Buffer_DecreaseExternalReferenceCount',
  'PJRT_Buffer_OpaqueDeviceMemoryDataPointer',
];
const STRUCTS = [
  'PJRT_NamedValue',
  'PJRT_Buffer_MemoryLayout',
  'PJRT_Buffer_MemoryLayout_Tiled',
  'PJRT_Buffer_MemoryLayout_Strides',
];
const CONSTANTS = [
  ['PJRT_Error_Code', 'PJRT_Error_Code_INVALID_ARGUMENT'],
  ['PJRT_Error_Code', 'PJRT_Error_Code_UNIMPLEMENTED'],
  ['PJRT_Buffer_MemoryLayout_Type', 'PJRT_Buffer_MemoryLayout_Type_Tiled'],
  ['PJRT_Buffer_MemoryLayout_Type', 'PJRT_Buffer_MemoryLayout_Type_Strides'],
  ['PJRT_HostBufferSemantics', 'PJRT_HostBufferSemantics_kImmutableOnlyDuringCall'],
  ['PJRT_HostBufferSemantics', 'PJRT_HostBufferSemantics_kMutableZeroCopy'],
] as const;

/** How the process came to its end, if it has said so. */
type Said<Saw> =
  | { saw: Saw }
  | { lacks: string }
  | { refused: { call: string; code: number; text: string } }
  | { absent: string }
  /** The call that returned NULL as the address of a buffer with contents. */
  | { null: string }
  | { fault: string };

/** What a probe of an exchange takes. */
export const EXCHANGE = {
  library: text,
  capsule: oneOf('legacy', 'versioned'),
  dtype: optional(elementType, 'f32'),
  shape: optional(list(number), [7, 33]),
  off: optional(number, 0),
};
type Options = Values<typeof EXCHANGE>;

/** What an exchange is about. */
export interface Exchange {
  library: string;
  /** The array that is exchanged, and another one with different contents. */
  data: HostArray;
  other: HostArray;
}

/** The exchange that the options of a probe describe. */
export function exchangeOf({ library, dtype, shape }: Options): Exchange {
  return { library, data: hashed(dtype, shape), other: hashed(dtype, shape, 2) };
}

/**
 * Lets a Python process load the plugin and exchange arrays with a library, which must share the address space with the
 * plugin to see its memory.
 * @returns what the process saw
 */
export async function exchange<Saw>(
  context: CaseContext,
  scenario: string,
  { capsule, off }: Options,
  about: Exchange,
): Promise<Saw> {
  const { library, data, other } = about;
  const sample = send(context, data, 'during-call').buffer;
  sample.awaitReady();
  if (!sample.isOnCpu()) throw new NotSupported('the memory of buffers is not the memory of the process');
  const python = pythonWith(library);
  const { setup } = context.subjects[0]!;
  const task = {
    scenario,
    library: { name: library },
    capsule,
    dtype: { name: data.dtype.name, number: data.dtype.enumValue, bits: data.dtype.bits, kind: data.dtype.kind },
    shape: data.shape,
    off,
    data: base64(data),
    other: base64(other),
    path: setup.library,
    options: createOptions(context),
    ...tables(context),
  };
  const life = await live<Saw>(context, python.command, JSON.stringify(task));
  return sawOf(context, `${library} ${python.libraries[library]}`, life);
}

const base64 = ({ bytes }: HostArray): string => Buffer.from(bytes).toString('base64');

/** Create options as the process writes them into named values. */
function createOptions({ api, subjects }: CaseContext): object[] {
  return Object.entries(subjects[0]!.setup.options).map(([name, { kind, value }]) => ({
    name,
    kind,
    type: api.abi.enumValue('PJRT_NamedValue_Type', `PJRT_NamedValue_k${TYPES[kind]}`),
    value: typeof value === 'bigint' ? String(value) : Array.isArray(value) ? value.map(String) : value,
  }));
}

const TYPES = { string: 'String', int64: 'Int64', int64_list: 'Int64List', float: 'Float', bool: 'Bool' } as const;

/** Places of functions, layouts of structs and values of enums, from the tables of the C API. */
function tables({ api }: CaseContext): object {
  const functions = FUNCTIONS.filter((name) => api.has(name)).map((name) => [
    name,
    { slot: api.pluginAbi.slotOffset(name), args: layoutOf(api.abi.argsOf(name)) },
  ]);
  return {
    functions: Object.fromEntries(functions),
    structs: Object.fromEntries(STRUCTS.map((name) => [name, layoutOf(api.struct(name))])),
    // What this version of the C API lacks is left out.
    constants: Object.fromEntries(CONSTANTS.map(([type, name]) => [name, api.abi.enumValues(type).get(name)])),
  };
}

const layoutOf = ({ size, structSize, fields }: StructLayout): object => ({
  size,
  structSize,
  fields: Object.fromEntries(fields.map(({ name, offset, size: bytes }) => [name, [offset, bytes]])),
});

interface Life<Saw> {
  /** How far it came: to nothing, to the import of the library, to the plugin and its client, to the exchange. */
  stage: 'start' | 'library' | 'client' | 'exchange';
  said: Said<Saw> | undefined;
  /** The call that it was in when it ended. */
  inside: string | undefined;
  code: number | null;
  signal: string | null;
}

/** Runs the process. Its calls are in the breadcrumb of this one, so that a hang is blamed on the call that hangs. */
async function live<Saw>(context: CaseContext, command: string, task: string): Promise<Life<Saw>> {
  const life: Life<Saw> = { stage: 'start', said: undefined, inside: undefined, code: null, signal: null };
  // In the process group of this worker, so that a missed deadline ends both. Its output belongs to the case.
  const child = spawn(command, ['-B', PROGRAM], {
    stdio: ['pipe', 'inherit', 'inherit', 'pipe'],
    env: { ...process.env, JAX_PLATFORMS: 'cpu' },
  });
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', (code, signal) => {
      life.code = code;
      life.signal = signal;
      resolve();
    });
  });
  // It may be gone before it has read everything.
  child.stdin!.on('error', () => {});
  child.stdin!.end(task);
  const channel = child.stdio[3] as Readable;
  const lines = createInterface({ input: channel });
  const calls = new Map<string, { name: string; back: (answer: string, ms: number) => void }>();
  lines.on('line', (line) => {
    const [kind, rest] = [line[0], line.slice(2)];
    const [id = '', word = '', ms] = rest.split(' ');
    if (kind === '>') calls.set(id, { name: word, back: context.instrument.elsewhere(word) });
    else if (kind === '<') {
      calls.get(id)?.back(word, Number(ms));
      calls.delete(id);
    } else if (kind === '@') life.stage = rest as Life<Saw>['stage'];
    else life.said = JSON.parse(rest) as Said<Saw>;
  });
  const read = once(lines, 'close');
  await ended;
  // Processes that the plugin has left behind may hold the channel open.
  await Promise.race([read, sleep(PIPE_GRACE_MS, undefined, { ref: false })]);
  channel.destroy();
  const open = [...calls.values()];
  life.inside = open.at(-1)?.name;
  for (const { back } of open.reverse()) back('error', 0);
  return life;
}

/** What the process saw, or the end of the case that follows from what it said instead. */
function sawOf<Saw>(context: CaseContext, library: string, { stage, said, inside, code, signal }: Life<Saw>): Saw {
  const { api } = context;
  if (stage === 'start') throw new Error(`${PROGRAM} did not run: see the output of the case`);
  if (said === undefined) {
    if (stage === 'library') throw new NotSupported(`${library} cannot be imported: see the output of the case`);
    throw new CheckFailure({
      type: 'pjrt.Crash',
      message: `the process that shares arrays with ${library} ${signal === null ? `exited with code ${code}` : `died with ${signal}`} ${inside === undefined ? 'outside native calls' : `in ${inside}`}`,
      ...(inside === undefined ? {} : { call: inside }),
    });
  }
  if ('saw' in said) return said.saw;
  if ('lacks' in said) throw new NotSupported(said.lacks);
  if ('absent' in said) throw api.absence(said.absent) ?? new SuiteFault(`${said.absent} has no layout here`);
  if ('null' in said) violated('the address of a buffer with contents is NULL', said.null, 'BUF-REF-003');
  if ('refused' in said) {
    const { call, code: number, text } = said.refused;
    const name = api.pluginAbi.enumNames('PJRT_Error_Code').get(number) ?? `code ${number}`;
    const codeName = name.replace('PJRT_Error_Code_', '');
    // Devices that only one process can have are no fault.
    if (stage === 'client') throw new NotSupported(`a second process gets no client: ${call} returns ${codeName}`);
    throw new PjrtError(call, number, codeName, text, []);
  }
  if (stage === 'library')
    throw new NotSupported(`${library} cannot be imported: ${said.fault.trim().split('\n').at(-1)}`);
  if (stage === 'client')
    throw new NotSupported(`a second process cannot use the plugin: ${said.fault.trim().split('\n').at(-1)}`);
  throw new Error(`the process that shares arrays with ${library} failed:\n${said.fault}`);
}
