import {
  contentsIn,
  dataIn,
  endIn,
  enteredIn,
  hostBytesIn,
  isSuccess,
  leftIn,
  pluginIn,
} from '../../knowledge/trace/bodies.ts';
import { KIND, type Memory, type TraceRecord } from '../../knowledge/trace/format.ts';
import { argumentsOf, type NamedRecord, namedRecords } from '../../knowledge/trace/named-records.ts';
import type { Trace, TraceManifest, TraceProcess } from '../../knowledge/trace/open-trace.ts';

/** Calls of one function. */
interface FunctionSummary {
  function: string;
  calls: number;
  /** From entry to exit, with what the recorder does between them. */
  ns: number;
  errors: number;
  /** Calls that had not returned when the recording ended. */
  open: number;
}

/** A plugin in a process. */
interface PluginSummary {
  path: string;
  version: string;
  platform?: string;
  devices?: number;
  /** Extensions by type whose functions were not all recorded. */
  unseen: number[];
}

/** What a process did with its plugins. */
export interface ProcessSummary {
  process: string;
  pid: number;
  plugins: PluginSummary[];
  /** Bytes of records. */
  bytes: number;
  records: number;
  threads: number;
  ns: number;
  calls: number;
  callbacks: number;
  executions: number;
  /** Compilations, and how many different programs they had. */
  compilations: number;
  programs: number;
  /** Bytes of host data that were given to the plugin, and read from it. */
  uploaded: number;
  read: number;
  /** Reads whose data could not be kept. */
  missing: number;
  /** Executions of which arguments and results were read. */
  withContents: number;
  functions: FunctionSummary[];
  errors: { function: string; code: number; message: string; calls: number }[];
  /** Why the recording ended; undefined: the process was killed, or the disk was full. */
  ending?: string;
}

/** What `trace show` shows. */
export interface TraceSummary {
  manifest: TraceManifest;
  processes: ProcessSummary[];
  /** Files that end inside of their last record. */
  cut: string[];
}

/** Reads a whole trace once. @throws TraceError */
export function summarize(trace: Trace): TraceSummary {
  return { manifest: trace.manifest, processes: trace.processes.map(summaryOf), cut: [...new Set(trace.notes.cut)] };
}

function summaryOf(process: TraceProcess): ProcessSummary {
  const summary: ProcessSummary = {
    process: process.name,
    pid: process.pid,
    plugins: [],
    bytes: process.bytes,
    ...{ records: 0, threads: 0, ns: 0, calls: 0, callbacks: 0, executions: 0, compilations: 0, programs: 0 },
    ...{ uploaded: 0, read: 0, missing: 0, withContents: 0 },
    functions: [],
    errors: [],
  };
  const counting = new Counting(summary);
  for (const named of namedRecords(process)) counting.add(named);
  return counting.finished();
}

/** Functions that compile a program that they are given. */
const COMPILES: ReadonlySet<string> = new Set(['PJRT_Client_Compile', 'PJRT_Compile']);

/** Functions whose results a summary shows. */
const DESCRIBES: ReadonlySet<string> = new Set(['PJRT_Client_PlatformName', 'PJRT_Client_AddressableDevices']);

class Counting {
  readonly #summary: ProcessSummary;
  readonly #functions = new Map<string, FunctionSummary>();
  readonly #errors = new Map<string, ProcessSummary['errors'][number]>();
  readonly #threads = new Set<number>();
  readonly #programs = new Set<string>();
  readonly #read = new Set<number>();
  readonly #begun = new Map<number, number>();
  readonly #plugins = new Map<number, PluginSummary>();

  constructor(summary: ProcessSummary) {
    this.#summary = summary;
  }

  add(named: NamedRecord): void {
    const { record } = named;
    const summary = this.#summary;
    summary.records += 1;
    summary.ns = Math.max(summary.ns, record.time);
    this.#threads.add(record.thread);
    switch (record.kind) {
      case KIND.plugin:
        this.#plugin(record);
        return;
      case KIND.enter:
        this.#enter(named);
        return;
      case KIND.leave:
        this.#leave(named);
        return;
      case KIND.callbackEnter:
        summary.callbacks += 1;
        return;
      case KIND.data:
        this.#data(dataIn(record));
        return;
      case KIND.contents: {
        const { role, data } = contentsIn(record);
        if (role === 'view') this.#data(data);
        else this.#read.add(record.of);
        return;
      }
      case KIND.end:
        summary.ending = endIn(record);
        return;
    }
  }

  finished(): ProcessSummary {
    const functions = [...this.#functions.values()].sort((a, b) => b.ns - a.ns || b.calls - a.calls);
    for (const one of functions) one.open = one.calls - one.open;
    return Object.assign(this.#summary, {
      functions,
      threads: this.#threads.size,
      programs: this.#programs.size,
      withContents: this.#read.size,
      errors: [...this.#errors.values()].sort((a, b) => b.calls - a.calls),
      plugins: [...this.#plugins.values()],
    });
  }

  #data(data: Memory | undefined): void {
    this.#summary.read += data?.bytes ?? 0;
    if (data === undefined || data.form === 'none') this.#summary.missing += 1;
  }

  #plugin(record: TraceRecord): void {
    const { number, path, major, minor, extensions } = pluginIn(record);
    const unseen = extensions.filter((one) => one.unseen !== 0).map(({ type }) => type);
    this.#plugins.set(number, { path, version: `${major}.${minor}`, unseen });
  }

  #enter({ record, name }: NamedRecord): void {
    const summary = this.#summary;
    const one = this.#functions.get(name) ?? { function: name, calls: 0, ns: 0, errors: 0, open: 0 };
    this.#functions.set(name, one);
    one.calls += 1;
    summary.calls += 1;
    this.#begun.set(record.order, record.time);
    if (name === 'PJRT_LoadedExecutable_Execute') summary.executions += 1;
    summary.uploaded += hostBytesIn(record);
    if (!COMPILES.has(name)) return;
    summary.compilations += 1;
    const { memory } = enteredIn(record);
    const program = memory.find(({ what }) => what === 'program');
    if (program) this.#programs.add(program.name ?? program.data?.toString('latin1') ?? '');
  }

  /** Until the end, `open` counts the calls that have returned. */
  #leave(named: NamedRecord): void {
    const { record, name } = named;
    const one = this.#functions.get(name);
    const begun = this.#begun.get(record.of);
    this.#begun.delete(record.of);
    if (!one || begun === undefined) return;
    one.open += 1;
    one.ns += record.time - begun;
    if (isSuccess(record) && !DESCRIBES.has(name)) return;
    const left = leftIn(record);
    const { error } = left;
    if (error) {
      one.errors += 1;
      const key = `${name} ${error.code} ${error.message}`;
      const known = this.#errors.get(key) ?? { function: name, ...error, calls: 0 };
      known.calls += 1;
      this.#errors.set(key, known);
      return;
    }
    const plugin = this.#plugins.get(record.plugin);
    if (!plugin) return;
    if (name === 'PJRT_Client_PlatformName') plugin.platform = argumentsOf(named, left)?.text('platform_name');
    if (name === 'PJRT_Client_AddressableDevices')
      plugin.devices = argumentsOf(named, left)?.number('num_addressable_devices');
  }
}
