import { basename } from 'node:path';
import { asJsonLine } from '../../base/as-json.ts';
import { holdsObjects, isDestroyer } from '../../knowledge/abi/index.ts';
import type { RecordedStruct } from '../../knowledge/trace/arguments.ts';
import { callbackIn, executableIn, leftIn, pluginIn } from '../../knowledge/trace/bodies.ts';
import { describeFields, describing } from '../../knowledge/trace/describe.ts';
import { KIND, type TraceRecord } from '../../knowledge/trace/format.ts';
import { argumentsOf, entering, type NamedRecord, namedRecords } from '../../knowledge/trace/named-records.ts';
import { RecordedObjects } from '../../knowledge/trace/objects.ts';
import { type ObjectAt, objectsOf } from '../../knowledge/trace/objects-of.ts';
import { observed, type ReturnedCall, returned } from '../../knowledge/trace/observed-call.ts';
import type { Trace, TraceProcess } from '../../knowledge/trace/open-trace.ts';
import { type WholeFile, writeWhole } from '../../knowledge/trace/write-whole.ts';

/**
 * An event of the Trace Event Format, which ui.perfetto.dev, chrome://tracing and XProf show: `X` a slice of a thread, `B` one without an
 * end, `b` and `e` the begin and the end of something that goes on beside threads, `C` a counter, `M` a name. Times are microseconds.
 */
export interface TimelineEvent {
  ph: 'X' | 'B' | 'b' | 'e' | 'C' | 'M';
  name: string;
  cat?: string;
  pid: number;
  tid: number;
  ts?: number;
  dur?: number;
  /** What has the begin and the end of one thing in common in its process. */
  id2?: { local: string };
  args?: Record<string, unknown>;
}

/** What was written. */
export interface WrittenTimeline {
  events: number;
  bytes: number;
}

/** Writes what happened in a trace for a viewer of timelines. @throws TraceError */
export async function writeTimeline(trace: Trace, file: WholeFile): Promise<WrittenTimeline> {
  let events = 0;
  const lines = function* (): Generator<string> {
    yield '{"displayTimeUnit":"ns","traceEvents":[\n';
    for (const event of timelineOf(trace)) yield `${events++ === 0 ? '' : ','}${asJsonLine(event)}`;
    yield ']}\n';
  };
  const bytes = await writeWhole(file, lines());
  return { events, bytes };
}

/** The events of all processes, by one clock. @throws TraceError */
export function* timelineOf({ processes }: Trace): Generator<TimelineEvent> {
  const begun = Math.min(...processes.map((process) => process.begun));
  for (const process of processes) yield* new Timeline(process, (process.begun - begun) * 1000).events();
}

/** A call that has not returned, or a callback. */
interface Open {
  name: string;
  cat: string;
  record: TraceRecord;
  args: Record<string, unknown>;
  /** Address of what it executes, or 0. */
  executable?: bigint;
  call?: ReturnType<typeof observed>;
}

/** An event of the plugin that is not known to be ready. */
interface Pending {
  name: string;
  id2: { local: string };
}

class Timeline {
  readonly #process: TraceProcess;
  /** Microseconds from the beginning of the first process to that of this one. */
  readonly #offset: number;
  readonly #objects = new RecordedObjects();
  readonly #open = new Map<number, Open>();
  readonly #pending = new Map<bigint, Pending>();
  /** The event that a callback waits for, by the order of the call that asked for it. */
  readonly #asked = new Map<number, bigint>();
  /** What the plugin calls an executable, by its address. */
  readonly #programs = new Map<bigint, string>();
  readonly #buffers = new Set<bigint>();
  #last = 0;

  constructor(process: TraceProcess, offset: number) {
    this.#process = process;
    this.#offset = offset;
  }

  *events(): Generator<TimelineEvent> {
    const plugins = this.#process.plugins().map((path) => basename(path));
    const { pid } = this.#process;
    yield { ph: 'M', name: 'process_name', pid, tid: pid, args: { name: plugins.join(', ') || 'no plugin' } };
    for (const named of namedRecords(this.#process)) {
      this.#last = named.record.time;
      yield* this.#eventsOf(named);
    }
    for (const open of this.#open.values()) {
      const { cat, record, args } = open;
      yield { ph: 'B', name: `${this.#titled(open)} (did not return)`, cat, ...this.#at(record), args };
    }
    for (const pending of this.#pending.values())
      yield this.#ended(pending, { thread: pid, time: this.#last }, 'nobody: the recording ends');
  }

  *#eventsOf(named: NamedRecord): Generator<TimelineEvent> {
    const { record, name } = named;
    switch (record.kind) {
      case KIND.plugin: {
        const { path, major, minor } = pluginIn(record);
        const args = { path, version: `${major}.${minor}` };
        yield { ph: 'X', name: basename(path), cat: 'plugin', ...this.#at(record), dur: 0, args };
        return;
      }
      case KIND.executable: {
        const { loaded, name: program } = executableIn(record);
        this.#programs.set(loaded, program);
        return;
      }
      case KIND.enter: {
        const struct = entering(named);
        const args = { order: record.order, ...this.#described(struct, named, 'inputs') };
        const call = observed(named);
        const executable = struct?.has('executable') ? struct.word('executable') : 0n;
        const open = { name: shortened(name), cat: 'call', record, args, executable };
        this.#open.set(record.order, { ...open, ...(call && { call }) });
        if (name === 'PJRT_Event_OnReady' && struct) this.#asked.set(record.order, struct.word('event'));
        return;
      }
      case KIND.callbackEnter: {
        const { error } = callbackIn(record);
        const args = { order: record.order, of: record.of, ...(error && { error }) };
        this.#open.set(record.order, { name: `callback of ${shortened(name)}`, cat: 'callback', record, args });
        const event = this.#asked.get(record.of);
        if (event !== undefined) yield* this.#ready(event, record, 'its callback');
        return;
      }
      case KIND.leave:
      case KIND.callbackLeave:
        yield* this.#leave(named);
    }
  }

  *#leave(named: NamedRecord): Generator<TimelineEvent> {
    const { record } = named;
    const open = this.#open.get(record.of);
    this.#open.delete(record.of);
    if (!open) return;
    const left = record.kind === KIND.leave ? leftIn(record) : undefined;
    const error = left?.error;
    const results = left && !error ? this.#described(argumentsOf(named, left), named, 'outputs') : {};
    const args = { ...open.args, ...results, ...(error && { error }) };
    const title = this.#titled(open);
    const name = error ? `${title} (error)` : title;
    const dur = (record.time - open.record.time) / 1000;
    yield { ph: 'X', name, cat: open.cat, ...this.#at(open.record), dur, args };
    const call = open.call && left && returned(open.call, record);
    if (!call) return;
    if (!error) yield* this.#made(call, open, record);
    yield* this.#ends(call, named, error === undefined);
  }

  /** Events and buffers that a call has given to its caller. */
  *#made(call: ReturnedCall, open: Open, record: TraceRecord): Generator<TimelineEvent> {
    const before = this.#buffers.size;
    for (const field of call.layout.fields) {
      if (!holdsObjects(field) || !RecordedObjects.makes(field)) continue;
      const made = objectsOf(call, field, call.after);
      if (field.base === 'PJRT_Buffer') for (const { at } of made) this.#buffers.add(at);
      if (field.base !== 'PJRT_Event') continue;
      for (const [i, one] of made.entries()) {
        const which = made.length > 1 ? ` of device ${i}` : '';
        const id2 = { local: this.#objects.at(one.type, one.at) };
        const pending = { name: this.#awaited(open, field.name) + which, id2 };
        yield* this.#ready(one.at, record, 'nobody: its address was given again');
        this.#pending.set(one.at, pending);
        yield { ph: 'b', cat: 'event', ...pending, ...this.#at(open.record) };
      }
    }
    if (this.#buffers.size !== before) yield this.#counted(record);
  }

  /** What is over when a call has returned. */
  *#ends(call: ReturnedCall, named: NamedRecord, succeeded: boolean): Generator<TimelineEvent> {
    const { record, name } = named;
    const [subject] = call.layout.subject ? objectsOf(call, call.layout.subject, call.before) : [];
    if (!subject) return;
    if (subject.type === 'PJRT_Event') {
      // An error that a wait returns is that of the event, which is ready then.
      const waited = name === 'PJRT_Event_Await' || (name === 'PJRT_Event_IsReady' && succeeded && isReady(call));
      if (waited) yield* this.#ready(subject.at, record, shortened(name));
    }
    if (isDestroyer(name)) yield* this.#destroyed(subject, record);
  }

  *#destroyed({ type, at }: ObjectAt, record: TraceRecord): Generator<TimelineEvent> {
    if (type === 'PJRT_Event') yield* this.#ready(at, record, 'nobody: it was destroyed');
    if (type === 'PJRT_LoadedExecutable') this.#programs.delete(at);
    if (type === 'PJRT_Buffer' && this.#buffers.delete(at)) yield this.#counted(record);
  }

  *#ready(at: bigint, record: TraceRecord, by: string): Generator<TimelineEvent> {
    const pending = this.#pending.get(at);
    this.#pending.delete(at);
    if (pending) yield this.#ended(pending, record, by);
  }

  #ended = (pending: Pending, moment: Pick<TraceRecord, 'thread' | 'time'>, by: string): TimelineEvent => ({
    ph: 'e',
    cat: 'event',
    ...pending,
    ...this.#at(moment),
    args: { 'seen by': by },
  });

  #counted = (record: TraceRecord): TimelineEvent => ({
    ph: 'C',
    name: 'buffers',
    ...this.#at(record),
    args: { alive: this.#buffers.size },
  });

  #at = ({ thread, time }: Pick<TraceRecord, 'thread' | 'time'>) => ({
    pid: this.#process.pid,
    tid: thread,
    ts: this.#offset + time / 1000,
  });

  /** `jit_step: device_complete_events`. */
  #awaited(open: Open, field: string): string {
    return `${this.#programs.get(open.executable ?? 0n) ?? open.name}: ${field}`;
  }

  /** `LoadedExecutable_Execute jit_step`; what an executable is called may be known only when its first execution has begun. */
  #titled({ name, executable = 0n }: Open): string {
    const program = this.#programs.get(executable);
    return program ? `${name} ${program}` : name;
  }

  #described(
    struct: RecordedStruct | undefined,
    { minor }: NamedRecord,
    which: 'inputs' | 'outputs',
  ): Record<string, unknown> {
    if (!struct || minor === undefined) return {};
    return describeFields(struct, which, describing(minor, this.#objects));
  }
}

const isReady = ({ layout, after }: ReturnedCall): boolean => after[layout.field('is_ready').offset] === 1;

const shortened = (name: string): string => name.replaceAll('PJRT_', '');
