import {
  contentsIn,
  dataIn,
  endIn,
  enteredIn,
  hostBytesIn,
  isSuccess,
  leftIn,
  namesIn,
  pluginIn,
  type RecordedPlugin,
} from '../../knowledge/trace/bodies.ts';
import { digestOf } from '../../knowledge/trace/digest.ts';
import { KIND, type Memory, type TraceRecord } from '../../knowledge/trace/format.ts';
import { argumentsOf } from '../../knowledge/trace/named-records.ts';
import type { Trace, TraceManifest, TraceProcess } from '../../knowledge/trace/open-trace.ts';
import type { PieceCursor } from '../../knowledge/trace/segment.ts';

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
  const counting = new Counting(summary, namesOf(process));
  process.scan((record) => counting.add(record));
  return counting.finished();
}

/** Names of functions by number: one of the first records has them. */
function namesOf(process: TraceProcess): string[] {
  for (const record of process.records()) if (record.kind === KIND.names) return namesIn(record);
  return [];
}

/** Functions that compile a program that they are given. */
const COMPILES: ReadonlySet<string> = new Set(['PJRT_Client_Compile', 'PJRT_Compile']);

/** Functions whose results a summary shows. */
const DESCRIBES: ReadonlySet<string> = new Set(['PJRT_Client_PlatformName', 'PJRT_Client_AddressableDevices']);

/** Counts records in any order: a call may end in a piece that is read before that in which it begins. */
class Counting {
  readonly #summary: ProcessSummary;
  readonly #names: readonly string[];
  readonly #functions = new Map<number, FunctionSummary>();
  readonly #errors = new Map<string, ProcessSummary['errors'][number] & { first: number }>();
  readonly #threads = new Set<number>();
  readonly #programs = new Set<string>();
  readonly #read = new Set<number>();
  /** Times of calls of which only the begin is known so far, or only the end. */
  readonly #begun = new Map<number, number>();
  readonly #ended = new Map<number, number>();
  readonly #plugins = new Map<number, RecordedPlugin>();
  /** The first answers that a summary shows, by plugin and function. */
  readonly #answers = new Map<string, TraceRecord>();

  constructor(summary: ProcessSummary, names: readonly string[]) {
    this.#summary = summary;
    this.#names = names;
  }

  add(record: PieceCursor): void {
    const summary = this.#summary;
    summary.records += 1;
    if (record.time > summary.ns) summary.ns = record.time;
    this.#threads.add(record.thread);
    switch (record.kind) {
      case KIND.plugin: {
        const plugin = pluginIn(record.record());
        this.#plugins.set(plugin.number, plugin);
        return;
      }
      case KIND.enter:
        this.#enter(record);
        return;
      case KIND.leave:
        this.#leave(record);
        return;
      case KIND.callbackEnter:
        summary.callbacks += 1;
        return;
      case KIND.data:
        this.#data(dataIn(record.record()));
        return;
      case KIND.contents: {
        const { role, data } = contentsIn(record.record());
        if (role === 'view') this.#data(data);
        else this.#read.add(record.of);
        return;
      }
      case KIND.end:
        summary.ending = endIn(record.record());
        return;
    }
  }

  finished(): ProcessSummary {
    const functions = [...this.#functions.values()].sort((a, b) => b.ns - a.ns || b.calls - a.calls);
    return Object.assign(this.#summary, {
      functions,
      threads: this.#threads.size,
      programs: this.#programs.size,
      withContents: this.#read.size,
      errors: [...this.#errors.values()]
        .sort((a, b) => b.calls - a.calls || a.first - b.first)
        .map(({ first: _, ...error }) => error),
      plugins: [...this.#plugins.values()].sort((a, b) => a.number - b.number).map((plugin) => this.#described(plugin)),
    });
  }

  #function(number: number): FunctionSummary {
    let one = this.#functions.get(number);
    if (!one) {
      const name = this.#names[number] ?? `function ${number}`;
      one = { function: name, calls: 0, ns: 0, errors: 0, open: 0 };
      this.#functions.set(number, one);
    }
    return one;
  }

  #data(data: Memory | undefined): void {
    this.#summary.read += data?.bytes ?? 0;
    if (data === undefined || data.form === 'none') this.#summary.missing += 1;
  }

  #enter(record: PieceCursor): void {
    const summary = this.#summary;
    const one = this.#function(record.function);
    one.calls += 1;
    summary.calls += 1;
    const ended = this.#ended.get(record.order);
    if (ended === undefined) {
      this.#begun.set(record.order, record.time);
      one.open += 1;
    } else {
      this.#ended.delete(record.order);
      one.ns += ended - record.time;
    }
    if (one.function === 'PJRT_LoadedExecutable_Execute') summary.executions += 1;
    summary.uploaded += hostBytesIn(record);
    if (!COMPILES.has(one.function)) return;
    summary.compilations += 1;
    const { memory } = enteredIn(record.record());
    const program = memory.find(({ what }) => what === 'program');
    if (program) this.#programs.add(program.name ?? digestOf(program.data ?? Buffer.of()));
  }

  #leave(record: PieceCursor): void {
    const one = this.#function(record.function);
    const begun = this.#begun.get(record.of);
    if (begun === undefined) this.#ended.set(record.of, record.time);
    else {
      this.#begun.delete(record.of);
      one.open -= 1;
      one.ns += record.time - begun;
    }
    if (!isSuccess(record)) this.#failed(record, one);
    else if (DESCRIBES.has(one.function)) this.#answered(record);
  }

  #failed(record: PieceCursor, one: FunctionSummary): void {
    const { error } = leftIn(record.record());
    if (!error) return;
    one.errors += 1;
    const key = `${one.function} ${error.code} ${error.message}`;
    const known = this.#errors.get(key) ?? { function: one.function, ...error, calls: 0, first: record.order };
    known.calls += 1;
    known.first = Math.min(known.first, record.order);
    this.#errors.set(key, known);
  }

  /** Its arguments are read when the plugin is known. */
  #answered(record: PieceCursor): void {
    const key = `${record.plugin} ${record.function}`;
    if ((this.#answers.get(key)?.order ?? Number.POSITIVE_INFINITY) < record.order) return;
    const answer = record.record();
    this.#answers.set(key, { ...answer, body: Buffer.from(answer.body) });
  }

  #described({ number, path, major, minor, layoutMinor, extensions }: RecordedPlugin): PluginSummary {
    const unseen = extensions.filter((one) => one.unseen !== 0).map(({ type }) => type);
    const plugin: PluginSummary = { path, version: `${major}.${minor}`, unseen };
    for (const record of this.#answers.values()) {
      if (record.plugin !== number) continue;
      const name = this.#function(record.function).function;
      const answer = argumentsOf({ record, name, minor: layoutMinor }, leftIn(record));
      if (name === 'PJRT_Client_PlatformName') plugin.platform = answer?.text('platform_name');
      else plugin.devices = answer?.number('num_addressable_devices');
    }
    return plugin;
  }
}
