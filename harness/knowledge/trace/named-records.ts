import { argumentLayout, RecordedStruct } from './arguments.ts';
import { enteredIn, namesIn, pluginIn } from './bodies.ts';
import { KIND, type Memory, type TraceRecord } from './format.ts';
import type { TraceProcess } from './open-trace.ts';

/** A record, with what its numbers mean. */
export interface NamedRecord {
  record: TraceRecord;
  /** `PJRT_Buffer_Destroy`, or `function 7` if the trace does not name it. */
  name: string;
  /** Version of the C API whose layouts its plugin has; undefined if the trace does not have the plugin. */
  minor: number | undefined;
}

/** All records of a process in their order, with what earlier ones say about them. @throws TraceError */
export function* namedRecords(process: TraceProcess): Generator<NamedRecord> {
  const minors = new Map<number, number>();
  let names: string[] = [];
  for (const record of process.records()) {
    if (record.kind === KIND.names) names = namesIn(record);
    if (record.kind === KIND.plugin) minors.set(record.plugin, pluginIn(record).layoutMinor);
    const name = names[record.function] ?? `function ${record.function}`;
    yield { record, name, minor: minors.get(record.plugin) };
  }
}

/** The arguments of a call, as far as its plugin is known. */
export function argumentsOf(
  { record, name, minor }: NamedRecord,
  { args, memory }: { args: Buffer; memory: readonly Memory[] },
): RecordedStruct | undefined {
  return minor === undefined ? undefined : new RecordedStruct(argumentLayout(name, minor, record), args, memory);
}

/** The arguments with which a call begins. */
export const entering = (named: NamedRecord): RecordedStruct | undefined => argumentsOf(named, enteredIn(named.record));
