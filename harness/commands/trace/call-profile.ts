import { Abi, EXTENSIONS } from '../../knowledge/abi/index.ts';
import { optionFields } from '../../knowledge/programs/option-fields.ts';
import { ProgramError } from '../../knowledge/programs/program.ts';
import { artifactVersion } from '../../knowledge/programs/stablehlo-version.ts';
import type { RecordedStruct } from '../../knowledge/trace/arguments.ts';
import { enteredIn, leftIn, pluginIn } from '../../knowledge/trace/bodies.ts';
import { describeFields } from '../../knowledge/trace/describe.ts';
import { KIND, type Memory } from '../../knowledge/trace/format.ts';
import { argumentsOf, type NamedRecord, namedRecords } from '../../knowledge/trace/named-records.ts';
import type { Trace } from '../../knowledge/trace/open-trace.ts';

/** Kinds of what callers differ in besides the numbers of their calls. */
export type Trait = 'struct size' | 'extension' | 'value' | 'compile option' | 'program' | 'error';

/** How a framework calls its plugins, over all processes of a trace. */
export interface CallProfile {
  plugins: string[];
  executions: number;
  /** Calls by function. */
  calls: Map<string, number>;
  /** Values that were seen, by where they were: of errors how often. */
  traits: Record<Trait, Map<string, Set<string>>>;
}

/** Reads a whole trace once. @throws TraceError */
export function callProfile(trace: Trace): CallProfile {
  const profiling = new Profiling(trace);
  for (const process of trace.processes) for (const named of namedRecords(process)) profiling.add(named);
  return profiling.finished();
}

class Profiling {
  readonly #trace: Trace;
  readonly #profile: CallProfile = {
    plugins: [],
    executions: 0,
    calls: new Map(),
    traits: {
      'struct size': new Map(),
      extension: new Map(),
      value: new Map(),
      'compile option': new Map(),
      program: new Map(),
      error: new Map(),
    },
  };
  readonly #errors = new Map<string, number>();

  constructor(trace: Trace) {
    this.#trace = trace;
  }

  add(named: NamedRecord): void {
    const { record, name } = named;
    if (record.kind === KIND.plugin) {
      const { path, major, minor } = pluginIn(record);
      const text = `${path}, PJRT C API ${major}.${minor}`;
      if (!this.#profile.plugins.includes(text)) this.#profile.plugins.push(text);
    }
    if (record.kind === KIND.enter) this.#enter(named);
    if (record.kind === KIND.leave) {
      const { error } = leftIn(record);
      const key = `${name}, code ${error?.code}: ${withoutAddresses(error?.message ?? '')}`;
      if (error) this.#errors.set(key, (this.#errors.get(key) ?? 0) + 1);
    }
  }

  finished(): CallProfile {
    for (const [error, times] of this.#errors) this.#saw('error', error, counted(times));
    return this.#profile;
  }

  #enter(named: NamedRecord): void {
    const { record, name, minor } = named;
    const { calls } = this.#profile;
    calls.set(name, (calls.get(name) ?? 0) + 1);
    if (name === 'PJRT_LoadedExecutable_Execute') this.#profile.executions += 1;
    const { args, memory } = enteredIn(record);
    const call = argumentsOf(named, { args, memory });
    if (!call || minor === undefined) return;
    this.#sizes(name, call, minor);
    for (const { what, data } of memory) if (what === 'extension' && data) this.#extension(name, data);
    this.#values(name, describeFields(call, 'inputs', { minor, object: () => UNSHOWN }));
    if (name === 'PJRT_Client_Compile') this.#compilation(call, minor);
  }

  #sizes(name: string, call: RecordedStruct, minor: number): void {
    if (call.layout.sized) this.#saw('struct size', `${name}_Args`, String(call.word('struct_size')));
    for (const { base, depth, count, name: field } of call.layout.fields) {
      const abi = Abi.at(minor);
      if (depth !== 1 || !abi.hasStruct(base) || !abi.struct(base).sized) continue;
      const data = call.bytes(field);
      if (data && data.length >= 8 && (count === undefined || call.word(count) > 0n))
        this.#saw('struct size', `${name}.${field}`, sizeOf(data));
    }
  }

  /** An extension begins with its size and its type. */
  #extension(name: string, node: Buffer): void {
    if (node.length < 12) return;
    const type = node.readInt32LE(8);
    this.#saw('extension', name, EXTENSIONS.get(type)?.name ?? `type ${type}`);
  }

  #values(path: string, values: Record<string, unknown>): void {
    if ('bytes' in values) return;
    for (const [field, value] of Object.entries(values)) {
      if (Array.isArray(value)) {
        for (const one of value as unknown[]) {
          const { name, value: given } = (one ?? {}) as { name?: unknown; value?: unknown };
          if (typeof name === 'string') this.#saw('value', `${path}.${field}.${name}`, JSON.stringify(given));
        }
      } else if (typeof value === 'object' && value !== null) {
        this.#values(`${path}.${field}`, value as Record<string, unknown>);
      } else if (!DATA.test(field) && value !== null && !/^(?:0x|#)/.test(String(value))) {
        this.#saw('value', `${path}.${field}`, JSON.stringify(value));
      }
    }
  }

  #compilation(call: RecordedStruct, minor: number): void {
    const program = call.struct('program', Abi.at(minor).struct('PJRT_Program'));
    const code = this.#bytes(program?.memory('code'));
    const version = code && artifactVersion(code)?.join('.');
    const format = program?.text('format') ?? '';
    this.#saw('program', 'format', version === undefined ? format : `${format}, StableHLO ${version}`);
    const options = this.#bytes(call.memory('compile_options'));
    if (!options) return;
    try {
      for (const [field, value] of optionFields(options)) this.#saw('compile option', field, value);
    } catch (error) {
      if (!(error instanceof ProgramError)) throw error;
      this.#saw('compile option', 'all', 'cannot be read');
    }
  }

  #bytes = (memory: Memory | undefined): Buffer | undefined => memory && this.#trace.bytesOf(memory);

  /** Of what changes from call to call only that it does is kept. */
  #saw(trait: Trait, where: string, value: string): void {
    const known = this.#profile.traits[trait].get(where) ?? new Set();
    this.#profile.traits[trait].set(where, known);
    if (known.size < MANY || known.has(value)) known.add(value);
    else known.add(VARIOUS);
  }
}

/** In place of objects, whose names say nothing of another recording. */
const UNSHOWN = '#';
/** Fields that depend on what is computed, or on the program's own source. */
const DATA = /^num_|_size$|^call_location$|^launch_id$|^type$/;
/** More different values at one place are data. */
const MANY = 12;
export const VARIOUS = 'various';

/** Some callers leave the size of an inner struct to what was in memory. */
function sizeOf(struct: Buffer): string {
  const size = struct.readBigUInt64LE(0);
  return size > LARGEST ? 'no size' : String(size);
}
const LARGEST = 4096n;

const withoutAddresses = (text: string): string => text.split('\n')[0]!.replace(/0x[0-9a-f]+/gi, '0x…');
const counted = (times: number): string => `${times} ×`;
