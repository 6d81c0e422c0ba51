import { argumentLayout, RecordedStruct } from '../../knowledge/trace/arguments.ts';
import {
  callbackIn,
  contentsIn,
  dataIn,
  endIn,
  enteredIn,
  executableIn,
  leftIn,
  namesIn,
  pluginIn,
} from '../../knowledge/trace/bodies.ts';
import { type Describing, describeFields } from '../../knowledge/trace/describe.ts';
import { KIND, type Memory, type TraceRecord } from '../../knowledge/trace/format.ts';
import { RecordedObjects } from '../../knowledge/trace/objects.ts';
import type { Trace, TraceProcess } from '../../knowledge/trace/open-trace.ts';

/** A line of `trace calls`. */
export type CallLine = Record<string, unknown> & { event: string };

/** Every record of a trace as an object, in the order of each process. @throws TraceError */
export function* callLines({ processes }: Trace): Generator<CallLine> {
  for (const process of processes) yield* linesOf(process);
}

function* linesOf(process: TraceProcess): Generator<CallLine> {
  const objects = new RecordedObjects();
  const minors = new Map<number, number>();
  let names: string[] = [];
  for (const record of process.records()) {
    if (record.kind === KIND.names) names = namesIn(record);
    else if (record.kind === KIND.plugin) {
      const plugin = pluginIn(record);
      minors.set(plugin.number, plugin.layoutMinor);
      const { path, major, minor, extensions } = plugin;
      yield { ...head('plugin', process, record), path, version: `${major}.${minor}`, extensions };
    } else {
      const line = lineOf(record, { process, names, objects, minor: minors.get(record.plugin) });
      if (line) yield line;
    }
  }
}

interface State {
  process: TraceProcess;
  names: readonly string[];
  objects: RecordedObjects;
  /** Of the record's plugin. */
  minor: number | undefined;
}

function lineOf(record: TraceRecord, { process, names, objects, minor }: State): CallLine | undefined {
  const function_ = names[record.function] ?? `function ${record.function}`;
  switch (record.kind) {
    case KIND.enter: {
      const { args, memory } = enteredIn(record);
      const line = { ...head('enter', process, record), function: function_ };
      const struct = structOf(function_, minor, args, memory);
      return struct ? { ...line, args: describeFields(struct, 'inputs', about(minor!, objects)) } : line;
    }
    case KIND.leave: {
      const { error, args, memory } = leftIn(record);
      const line = { ...head('leave', process, record), of: record.of, function: function_ };
      if (error) return { ...line, error };
      const struct = structOf(function_, minor, args, memory);
      return struct ? { ...line, results: describeFields(struct, 'outputs', about(minor!, objects)) } : line;
    }
    case KIND.callbackEnter: {
      const { error } = callbackIn(record);
      return { ...head('callback', process, record), of: record.of, function: function_, ...(error && { error }) };
    }
    case KIND.callbackLeave:
      return { ...head('callback-end', process, record), of: record.of, function: function_ };
    case KIND.data: {
      const data = dataIn(record);
      return { ...head('data', process, record), of: record.of, ...(data && kept(data)) };
    }
    case KIND.contents: {
      const { buffer, role, device, index, type, dims, data } = contentsIn(record);
      const what = { role, device, index, type, dims, ...(data ? kept(data) : { missing: true }) };
      return {
        ...head('contents', process, record),
        of: record.of,
        buffer: objects.at('PJRT_Buffer', buffer),
        ...what,
      };
    }
    case KIND.executable: {
      const { loaded, results, name } = executableIn(record);
      return {
        ...head('executable', process, record),
        executable: objects.at('PJRT_LoadedExecutable', loaded),
        name,
        results,
      };
    }
    case KIND.end:
      return { ...head('end', process, record), why: endIn(record) };
    default:
      // Of a later minor version of the format.
      return undefined;
  }
}

const structOf = (
  name: string,
  minor: number | undefined,
  args: Buffer,
  memory: readonly Memory[],
): RecordedStruct | undefined =>
  minor === undefined ? undefined : new RecordedStruct(argumentLayout(name, minor), args, memory);

const about = (minor: number, objects: RecordedObjects): Describing => ({
  minor,
  object: (type, address, field) =>
    RecordedObjects.makes(field) ? objects.made(type, address) : objects.at(type, address),
});

const kept = ({ bytes, form, name }: Memory): Record<string, unknown> => ({
  bytes,
  ...(form === 'blob' ? { blob: name } : form === 'hash' ? { hash: name } : {}),
});

const head = (event: string, { name }: TraceProcess, { order, time, thread }: TraceRecord): CallLine => ({
  event,
  process: name,
  order,
  ns: time,
  thread,
});
