import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { demandEmpty } from '../../base/demand-empty.ts';
import { makeDirectory } from '../../base/make-directory.ts';
import { UsageError } from '../../base/usage-error.ts';
import { decodeCompileOptions } from '../../knowledge/programs/compile-options.ts';
import { onDevices } from '../../knowledge/programs/placed-options.ts';
import { ProgramError } from '../../knowledge/programs/program.ts';
import { digestOf } from '../../knowledge/trace/digest.ts';
import type { Trace } from '../../knowledge/trace/open-trace.ts';
import { type Arrays, arraysOf } from './execution-arrays.ts';
import { type CompiledProgram, executionsOf, type RecordedExecution } from './executions.ts';

/** Which executions become programs, and where. */
export interface ProgramsRequest {
  /** Absolute path of the directory, which does not exist or is empty. */
  output: string;
  /** The directory as it was given, for messages. */
  shown: string;
  /** Every execution; default: the first of each program whose arguments are known. */
  every?: boolean | undefined;
  /** Only the execution of this order number. */
  execute?: number | undefined;
}

/** A program that was written. */
interface WrittenProgram {
  name: string;
  process: string;
  /** Order of the execution, as `trace calls` has it. */
  execution: number;
  devices: number;
  inputs: number;
  /** Results to compare with; 0: their contents are not in the trace. */
  outputs: number;
}

/** What became programs, and what did not. */
export interface WrittenPrograms {
  executions: number;
  programs: WrittenProgram[];
  /** Executions that could have been chosen, by the reason why they were not. */
  left: { reason: string; executions: number; first: number }[];
}

/**
 * Writes executions of a trace in the form that the command `programs` runs.
 * @throws UsageError, TraceError
 */
export function writePrograms(
  trace: Trace,
  { output, shown, every = false, execute }: ProgramsRequest,
): WrittenPrograms {
  demandEmpty(output, shown, 'programs');
  makeDirectory(output);
  const written: WrittenPrograms = { executions: 0, programs: [], left: [] };
  /** Programs that have been written, with their place in the list. */
  const known = new Map<string, number>();
  const leave = (execution: RecordedExecution, reason: string): void => {
    const same = written.left.find((one) => one.reason === reason);
    if (same) same.executions += 1;
    else written.left.push({ reason, executions: 1, first: execution.order });
  };
  for (const process of trace.processes) {
    for (const execution of executionsOf(process)) {
      written.executions += 1;
      if (execute !== undefined && execution.order !== execute) continue;
      const found = programOf(trace, execution);
      if ('reason' in found) {
        leave(execution, found.reason);
        continue;
      }
      const number = known.get(found.key) ?? known.size + 1;
      if (known.has(found.key) && !every && execute === undefined) continue;
      const arrays = arraysOf(trace, execution);
      if (typeof arrays === 'string') {
        leave(execution, arrays);
        continue;
      }
      const name = nameOf(execution, number, every);
      write(output, name, found, arrays, execution.devices);
      known.set(found.key, number);
      const { inputs, outputs } = arrays;
      written.programs.push({
        name,
        process: process.name,
        execution: execution.order,
        devices: execution.devices,
        inputs: inputs.arrays.length,
        outputs: outputs.arrays.length,
      });
    }
  }
  if (execute !== undefined && written.programs.length + written.left.length === 0)
    throw new UsageError(
      `--execute ${execute}: the trace has no successful execution of this number; \`trace calls\` has them: "order" of PJRT_LoadedExecutable_Execute`,
      { options: ['execute'] },
    );
  return written;
}

/** A program as it was sent. */
interface Sent {
  /** The same for executions of the same program with the same options. */
  key: string;
  code: Buffer;
  suffix: '.mlirbc' | '.mlir';
  /** Without the devices that the framework chose. */
  options: Buffer | undefined;
}

/** The program of an execution, or why there can be none. */
function programOf(trace: Trace, { program, devices }: RecordedExecution): Sent | { reason: string } {
  if (!program) return { reason: 'its program was compiled before the recording began' };
  if (!program.code) return { reason: 'its executable was deserialized, so its program is not in the trace' };
  if (program.format !== 'mlir')
    return {
      reason: `its program has the format ${JSON.stringify(program.format)}, not "mlir"${program.format === 'hlo' ? ' (PyTorch/XLA sends StableHLO with XLA_STABLEHLO_COMPILE=1)' : ''}`,
    };
  const code = trace.bytesOf(program.code);
  if (!code) return { reason: 'its program is not in the trace' };
  const raw = program.options && trace.bytesOf(program.options);
  const options = raw && raw.length > 0 ? raw : undefined;
  const placed = options === undefined ? { needed: 1, options } : placedOptions(options);
  if ('reason' in placed) return placed;
  if (devices !== placed.needed)
    return {
      reason: `it is the part of ${devices} of the ${placed.needed} devices of its program: the others are in other calls`,
    };
  return {
    key: digestOf(Buffer.concat([Buffer.from(`${code.length} `), code, options ?? Buffer.alloc(0)])),
    code,
    suffix: isBytecode(code) ? '.mlirbc' : '.mlir',
    options: placed.options,
  };
}

/** Compile options for other devices, and how many they ask for; or why there are none. */
function placedOptions(given: Buffer): { needed: number; options: Buffer } | { reason: string } {
  try {
    const { numReplicas = 1, numPartitions = 1 } = decodeCompileOptions(given);
    return {
      needed: Math.max(1, numReplicas) * Math.max(1, numPartitions),
      options: Buffer.from(onDevices(given, undefined)),
    };
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error;
    return { reason: `its compile options cannot be read: ${error.message}` };
  }
}

/** MLIR bytecode, as portable artifacts are. */
const isBytecode = (code: Buffer): boolean => code.length > 4 && code.readUInt32LE(0) === 0x52ef4c4d;

function nameOf({ order, program, process }: RecordedExecution, number: number, every: boolean): string {
  const own = (program as CompiledProgram).name?.replace(/[^\w.+-]+/g, '_').slice(0, 80);
  const parts = [String(number).padStart(3, '0'), own, every ? `at-${order}-of-${process}` : undefined];
  return parts.filter((part) => part !== undefined && part !== '').join('-');
}

function write(
  directory: string,
  name: string,
  { code, suffix, options }: Sent,
  { inputs, outputs }: Arrays,
  devices: number,
): void {
  const file = (end: string): string => join(directory, `${name}${end}`);
  writeFileSync(file(suffix), code);
  for (const [i, bytes] of inputs.arrays.entries()) writeFileSync(file(`.arg${i}.bin`), bytes);
  for (const [i, bytes] of outputs.arrays.entries()) writeFileSync(file(`.out${i}.bin`), bytes);
  const settings = {
    ...(options && { options: { raw: options.toString('hex') } }),
    ...(devices > 1 && { pieces: { inputs: inputs.pieces, outputs: outputs.pieces } }),
  };
  if (Object.keys(settings).length > 0) writeFileSync(file('.yaml'), stringify(settings));
}
