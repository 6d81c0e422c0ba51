import { leftIn, pluginIn } from './bodies.ts';
import { KIND } from './format.ts';
import { argumentsOf, entering, type NamedRecord, namedRecords } from './named-records.ts';
import type { TraceProcess } from './open-trace.ts';

/** What one process did with one plugin. */
export interface RecordedSession {
  /** `pid-42`, or `pid-42-plugin-1` in a process with several plugins. */
  name: string;
  process: TraceProcess;
  /** Number of the plugin in its process. */
  plugin: number;
  /** Path of the plugin that was recorded. */
  path: string;
  calls: number;
  executions: number;
  compilations: number;
  /** Nanoseconds from its first to its last record. */
  ns: number;
  /** Devices on which programs ran, or that were given buffers. */
  devices: number;
  /** Number of results for each device, by the order of the execution. */
  results: Map<number, number>;
  /** Kinds of memories, by address. */
  memoryKinds: Map<bigint, string>;
  /** Addresses of the devices that were addressable. */
  addressable: Set<bigint>;
}

/** The sessions of a process, one for each plugin that it has called. @throws TraceError */
export function sessionsOf(process: TraceProcess): RecordedSession[] {
  const sessions = new Map<number, RecordedSession & { first: number; used: Set<bigint> }>();
  for (const named of namedRecords(process)) {
    const { record } = named;
    if (record.kind === KIND.plugin) {
      const { number: plugin, path } = pluginIn(record);
      const counts = { calls: 0, executions: 0, compilations: 0, ns: 0, devices: 0, first: record.time };
      const found = {
        results: new Map(),
        memoryKinds: new Map(),
        addressable: new Set<bigint>(),
        used: new Set<bigint>(),
      };
      sessions.set(plugin, { name: '', process, plugin, path, ...counts, ...found });
    }
    const session = sessions.get(record.plugin);
    if (!session) continue;
    session.ns = record.time - session.first;
    if (record.kind === KIND.enter) entered(session, named);
    if (record.kind === KIND.leave) left(session, named);
  }
  const called = [...sessions.values()].filter(({ calls }) => calls > 0);
  return called.map(({ first: _, used, ...session }) => ({
    ...session,
    devices: Math.max(session.devices, used.size),
    name: called.length === 1 ? process.name : `${process.name}-plugin-${session.plugin}`,
  }));
}

function entered(session: RecordedSession & { used: Set<bigint> }, named: NamedRecord): void {
  session.calls += 1;
  if (named.name === 'PJRT_Client_Compile') session.compilations += 1;
  if (named.name === 'PJRT_LoadedExecutable_Execute') {
    session.executions += 1;
    session.devices = Math.max(session.devices, entering(named)?.number('num_devices') ?? 0);
  }
  if (named.name === 'PJRT_Client_BufferFromHostBuffer') {
    const device = entering(named)?.word('device') ?? 0n;
    if (device !== 0n) session.used.add(device);
  }
}

function left(session: RecordedSession, named: NamedRecord): void {
  const { name, record } = named;
  if (!LEARNS.has(name)) return;
  const returned = leftIn(record);
  const call = returned.error ? undefined : argumentsOf(named, returned);
  if (!call) return;
  if (name === 'PJRT_Memory_Kind') session.memoryKinds.set(call.word('memory'), call.text('kind') ?? '');
  else if (name === 'PJRT_Client_AddressableDevices')
    for (const device of call.words(call.word('addressable_devices'))) session.addressable.add(device);
  else session.results.set(record.of, call.words(call.words(call.word('output_lists'))[0] ?? 0n).length);
}

/** Functions of whose answers a session knows something before they are played. */
const LEARNS: ReadonlySet<string> = new Set([
  'PJRT_LoadedExecutable_Execute',
  'PJRT_Memory_Kind',
  'PJRT_Client_AddressableDevices',
]);
