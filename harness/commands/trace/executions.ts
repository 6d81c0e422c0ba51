import { Abi } from '../../knowledge/abi/index.ts';
import { argumentLayout, RecordedStruct } from '../../knowledge/trace/arguments.ts';
import {
  type Contents,
  contentsIn,
  enteredIn,
  executableIn,
  leftIn,
  namesIn,
  pluginIn,
} from '../../knowledge/trace/bodies.ts';
import { KIND, type Memory, type TraceRecord } from '../../knowledge/trace/format.ts';
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
  for (const record of process.records()) {
    const execution = following.add(record);
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
  readonly #minors = new Map<number, number>();
  /** What a compilation was given, until it returns. */
  readonly #compiling = new Map<number, CompiledProgram>();
  /** By the address of the loaded executable. */
  readonly #loaded = new Map<bigint, CompiledProgram>();
  readonly #open = new Map<number, Open>();
  #names: string[] = [];

  constructor(process: string) {
    this.#process = process;
  }

  add(record: TraceRecord): RecordedExecution | undefined {
    if (record.kind === KIND.names) this.#names = namesIn(record);
    if (record.kind === KIND.plugin) this.#minors.set(record.plugin, pluginIn(record).layoutMinor);
    if (record.kind === KIND.enter) this.#enter(record);
    if (record.kind === KIND.executable) this.#describe(record);
    if (record.kind === KIND.contents) this.#open.get(record.of)?.contents.push(contentsIn(record));
    return record.kind === KIND.leave ? this.#leave(record) : undefined;
  }

  #describe(record: TraceRecord): void {
    const { loaded, name } = executableIn(record);
    const program = this.#loaded.get(loaded);
    if (program && name !== '') program.name = name;
  }

  #enter(record: TraceRecord): void {
    const name = this.#names[record.function] ?? '';
    const minor = this.#minors.get(record.plugin);
    if (!FOLLOWED.has(name) || minor === undefined) return;
    const { args, memory } = enteredIn(record);
    const call = new RecordedStruct(argumentLayout(name, minor), args, memory);
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

  #leave(record: TraceRecord): RecordedExecution | undefined {
    const name = this.#names[record.function] ?? '';
    const minor = this.#minors.get(record.plugin);
    if (!FOLLOWED.has(name) || minor === undefined) return undefined;
    const { error, args, memory } = leftIn(record);
    const call = new RecordedStruct(argumentLayout(name, minor), args, memory);
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
