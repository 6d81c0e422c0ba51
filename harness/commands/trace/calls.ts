import { callbackIn, contentsIn, dataIn, endIn, executableIn, leftIn, pluginIn } from '../../knowledge/trace/bodies.ts';
import { describeFields, describing } from '../../knowledge/trace/describe.ts';
import { KIND, type Memory, type TraceRecord } from '../../knowledge/trace/format.ts';
import { argumentsOf, entering, type NamedRecord, namedRecords } from '../../knowledge/trace/named-records.ts';
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
  for (const named of namedRecords(process)) {
    const line = lineOf(named, process, objects);
    if (line) yield line;
  }
}

function lineOf(named: NamedRecord, process: TraceProcess, objects: RecordedObjects): CallLine | undefined {
  const { record, name: function_, minor } = named;
  switch (record.kind) {
    case KIND.plugin: {
      const { path, major, minor, extensions } = pluginIn(record);
      return { ...head('plugin', process, record), path, version: `${major}.${minor}`, extensions };
    }
    case KIND.enter: {
      const line = { ...head('enter', process, record), function: function_ };
      const struct = entering(named);
      return struct ? { ...line, args: describeFields(struct, 'inputs', describing(minor!, objects)) } : line;
    }
    case KIND.leave: {
      const left = leftIn(record);
      const line = { ...head('leave', process, record), of: record.of, function: function_ };
      if (left.error) return { ...line, error: left.error };
      const struct = argumentsOf(named, left);
      return struct ? { ...line, results: describeFields(struct, 'outputs', describing(minor!, objects)) } : line;
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
        // A result is read before the call gives it to its caller.
        buffer: role === 'result' ? objects.announced('PJRT_Buffer', buffer) : objects.at('PJRT_Buffer', buffer),
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
      // The names of functions, or a kind of a later minor version of the format.
      return undefined;
  }
}

const kept = ({ bytes, form, name }: Memory): Record<string, unknown> => ({
  bytes,
  ...(form === 'blob' ? { blob: name } : form === 'hash' ? { hash: name } : form === 'none' ? { missing: true } : {}),
});

const head = (event: string, { name }: TraceProcess, { order, time, thread }: TraceRecord): CallLine => ({
  event,
  process: name,
  order,
  ns: time,
  thread,
});
