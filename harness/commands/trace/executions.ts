import { Abi } from '../../knowledge/abi/index.ts';
import { type Contents, contentsIn, executableIn, leftIn } from '../../knowledge/trace/bodies.ts';
import { KIND, type Memory, type TraceRecord } from '../../knowledge/trace/format.ts';
import { argumentsOf, entering, type NamedRecord, namedRecords } from '../../knowledge/trace/named-records.ts';
import type { TraceProcess } from '../../knowledge/trace/open-trace.ts';

/** A program as it was compiled. */
export interface CompiledProgram {
  /** Order of the compilation. */
  order: number;
  /** Undefined if the executable came from elsewhere than a program: it was deserialized. */
  code: Memory | undefined;
  /** `mlir`. */
  format: string;
  /** A serialized CompileOptionsProto. */
  options: Memory | undefined;
  /** As the plugin calls the executable. */
  name?: string;
}

/** An execution that succeeded. */
export interface RecordedExecution {
  process: string;
  /** Order of the call, as `trace calls` has it. */
  order: number;
  /** Undefined: it was compiled before the recording began. */
  program: CompiledProgram | undefined;
  devices: number;
  arguments: number;
  /** Contents of its arguments and results, as far as they were read. */
  contents: Contents[];
  /** Number of results for each device. */
  results: number;
}

/** Executions of a process, in the order in which they returned. @throws TraceError */
export function* executionsOf(process: TraceProcess): Generator<RecordedExecution> {
  const following = new Following(process.name);
  for (const named of namedRecords(process)) {
    const execution = following.add(named);
    if (execution) yield execution;
  }
}

interface Open {
  /** Address of the executable. */
  executable: bigint;
  devices: number;
  arguments: number;
  contents: Contents[];
}

class Following {
  readonly #process: string;
  /** What a compilation was given, until it returns. */
  readonly #compiling = new Map<number, CompiledProgram>();
  /** By the address of the loaded executable. */
  readonly #loaded = new Map<bigint, CompiledProgram>();
  readonly #open = new Map<number, Open>();

  constructor(process: string) {
    this.#process = process;
  }

  add(named: NamedRecord): RecordedExecution | undefined {
    const { record } = named;
    if (record.kind === KIND.enter) this.#enter(named);
    if (record.kind === KIND.executable) this.#describe(record);
    if (record.kind === KIND.contents) this.#open.get(record.of)?.contents.push(contentsIn(record));
    return record.kind === KIND.leave ? this.#leave(named) : undefined;
  }

  #describe(record: TraceRecord): void {
    const { loaded, name } = executableIn(record);
    const program = this.#loaded.get(loaded);
    if (program && name !== '') program.name = name;
  }

  #enter(named: NamedRecord): void {
    const { record, name, minor } = named;
    const call = FOLLOWED.has(name) ? entering(named) : undefined;
    if (!call || minor === undefined) return;
    if (name === 'PJRT_Client_Compile') {
      const program = call.struct('program', Abi.at(minor).struct('PJRT_Program'));
      this.#compiling.set(record.order, {
        order: record.order,
        code: program?.memory('code'),
        format: program?.text('format') ?? '',
        options: call.memory('compile_options'),
      });
    } else if (name === 'PJRT_Executable_DeserializeAndLoad') {
      this.#compiling.set(record.order, { order: record.order, code: undefined, format: '', options: undefined });
    } else if (name === 'PJRT_LoadedExecutable_Execute') {
      this.#open.set(record.order, {
        executable: call.word('executable'),
        devices: call.number('num_devices'),
        arguments: call.number('num_args'),
        contents: [],
      });
    } else if (name === 'PJRT_LoadedExecutable_Destroy') {
      this.#loaded.delete(call.word('executable'));
    }
  }

  #leave(named: NamedRecord): RecordedExecution | undefined {
    const { record, name } = named;
    if (!FOLLOWED.has(name)) return undefined;
    const left = leftIn(record);
    const { error } = left;
    const call = argumentsOf(named, left);
    if (!call) return undefined;
    const compiled = this.#compiling.get(record.of);
    if (compiled) {
      this.#compiling.delete(record.of);
      const at = call.word(name === 'PJRT_Client_Compile' ? 'executable' : 'loaded_executable');
      if (!error) this.#loaded.set(at, compiled);
    }
    const open = this.#open.get(record.of);
    if (!open) return undefined;
    this.#open.delete(record.of);
    if (error) return undefined;
    const { executable, ...rest } = open;
    const lists = call.words(call.word('output_lists'));
    const results = call.words(lists[0] ?? 0n).length;
    return { process: this.#process, order: record.of, program: this.#loaded.get(executable), ...rest, results };
  }
}

const FOLLOWED: ReadonlySet<string> = new Set([
  'PJRT_Client_Compile',
  'PJRT_Executable_DeserializeAndLoad',
  'PJRT_LoadedExecutable_Execute',
  'PJRT_LoadedExecutable_Destroy',
]);
