/** A program with its data as a case. */
import { constants } from 'node:buffer';
import { totalmem } from 'node:os';
import type { FileData } from '../../knowledge/numerics/data.ts';
import { dtype as dtypeNamed } from '../../knowledge/numerics/dtypes.ts';
import type { Program, TensorType } from '../../knowledge/programs/program.ts';
import { inReplicas } from '../../knowledge/programs/sharding.ts';
import type { Case, Compare, Pieces, Step, StepBody } from '../types.ts';
import type { ProgramDevices } from './program-devices.ts';
import type { ProgramFiles } from './program-files.ts';
import type { ProgramSettings } from './program-settings.ts';

/** What a case is made of. */
interface ProgramParts {
  suite: string;
  files: ProgramFiles;
  program: Program;
  /** Absent: inputs are generated. */
  inputs: FileData[] | undefined;
  /** Absent: an oracle says what is expected, or nothing does. */
  outputs: FileData[] | undefined;
  settings: ProgramSettings;
  seed: number;
  judgedByOracle: boolean;
  /** Absent: one. */
  devices: ProgramDevices | undefined;
  /** Which arrays were converted, in words. */
  converted: readonly string[];
}

/** The requirement that the results of programs come under. */
const REQUIREMENT = 'NUM-PRG-001';

/** The default comparison of results. */
const BY_PROFILE: Compare = { bound: 'program' };

/** One case: compile, transfer, execute, read, compare. */
export function programCase(parts: ProgramParts): Case {
  const { suite, files, program, outputs, settings, judgedByOracle, devices, converted } = parts;
  const { name } = files;
  const judge = outputs ? 'compared with the expected ones' : judgedByOracle ? 'compared with the oracle' : undefined;
  const results = program.outputs.length === 1 ? 'its result is' : `its ${program.outputs.length} results are`;
  const how = [
    devices ? ` on ${devices.replicas * devices.partitions} devices` : '',
    judge ? `, and ${results} ${judge}` : '; no results are known to compare with',
    converted.length > 0 ? `; converted: ${converted.join(', ')}` : '',
  ].join('');
  return {
    id: `${suite}:${name}`,
    suite,
    name,
    params: {},
    file: files.program,
    line: 1,
    title: `${name} runs${how}`,
    covers: [REQUIREMENT],
    level: 'must',
    levels: { [REQUIREMENT]: 'must' },
    tags: [],
    requires: {
      dtypes: typesOf(program),
      ...(devices ? { devices: devices.replicas * devices.partitions } : {}),
      ...settings.requires,
    },
    isolation: 'worker',
    client: 'shared',
    mayExhaust: true,
    deadline: {},
    steps: programSteps(parts),
  };
}

const typesOf = ({ inputs, outputs }: Program): string[] =>
  [...new Set([...inputs, ...outputs].map(({ dtype }) => dtype))].sort();

function programSteps(parts: ProgramParts): Step[] {
  const { program, inputs, outputs, settings, seed, judgedByOracle, devices } = parts;
  const because = tooLarge(program);
  if (because !== undefined) return [{ verb: 'unjudged', because, line: 1 }];
  const { replicas = 1, partitions = 1, rows = 1 } = devices ?? {};
  const shaped = (shape: readonly number[]): number[] => (rows > 1 ? [rows, ...shape] : [...shape]);
  const given = program.inputs.map(
    ({ dtype, shape }, i) =>
      inputs?.[i] ?? { hash: { dtype, shape: shaped(shape), seed: (settings.seed ?? seed) + i } },
  );
  const options = devices && {
    num_replicas: replicas,
    num_partitions: partitions,
    shardy: devices.shardy,
    first_devices: true as const,
  };
  const args = (device: string): string[] => given.map((_, i) => `$arg${i}${device}`);
  const results = program.outputs.map(({ dtype, shape }, i) => {
    const whole = outputs?.[i]?.file.shape ?? shaped(shape);
    // Where nothing is compared the compiler may cut as it likes what the program leaves open.
    const joined = devices && (outputs || judgedByOracle || !devices.outputs[i]!.open);
    return { name: `out${i}`, dtype, pieces: joined ? piecesOf(devices, i, shape, whole) : undefined };
  });
  const steps: (StepBody & Pick<Step, 'refusable'>)[] = [
    {
      verb: 'compile',
      as: 'f',
      program: program.file,
      ...(options || settings.options ? { options: { ...options, ...settings.options } } : {}),
    },
    ...given.map((data, i): StepBody => {
      const own = ('file' in data ? data.file.shape! : data.hash.shape).length > program.inputs[i]!.shape.length;
      const pieces = devices && inReplicas(devices.inputs[i]!, rows, own);
      return { verb: 'put', as: `arg${i}`, data, ...(pieces ? { pieces } : {}) };
    }),
    {
      verb: 'execute',
      executable: '$f',
      ...(devices
        ? { lists: Array.from({ length: replicas * partitions }, (_, device) => args(`[${device}]`)) }
        : { args: args('') }),
      as: results.map(({ name }) => `${name}_buffer`),
      ...(settings.pieces && devices?.inputs.some(({ open }) => open)
        ? {
            cut: devices.inputs.map(({ shape }) => shape),
            refusable: 'pieces of parameters that its compiler may have cut in another way',
          }
        : {}),
    },
    ...results.map(
      ({ name, pieces }): StepBody => ({
        verb: 'get',
        buffer: `$${name}_buffer`,
        as: name,
        ...(pieces ? { pieces } : {}),
      }),
    ),
    ...results.flatMap(({ name, dtype, pieces }, i): StepBody[] => {
      const own = settings.compare ?? BY_PROFILE;
      const compare = Array.isArray(own) ? (own[i] ?? BY_PROFILE) : own;
      const equals = outputs?.[i];
      return [`$${name}`, ...(pieces ? copiesOf(pieces) : [])].flatMap((actual): StepBody[] => {
        if (equals) return [{ verb: 'expect', actual, equals, compare }];
        return judgedByOracle ? [{ verb: 'consult', actual, result: name, dtype, compare }] : [];
      });
    }),
  ];
  return steps.map((step) => ({ ...step, line: 1 }));
}

/** Arrays that the harness itself could not hold. */
function tooLarge({ inputs, outputs }: Program): string | undefined {
  const most = Math.min(totalmem(), constants.MAX_LENGTH);
  const bytesOf = ({ dtype, shape }: TensorType): number =>
    shape.reduce((n, size) => n * size, dtypeNamed(dtype).hostBytes);
  const total = [...inputs, ...outputs].reduce((sum, type) => sum + bytesOf(type), 0);
  return total > most ? `its arrays have ${total} bytes, and the harness can hold ${most}` : undefined;
}

/** How a result is put together. */
function piecesOf(devices: ProgramDevices, i: number, shape: readonly number[], whole: number[]): Pieces {
  const { replicas, partitions, rows } = devices;
  const cut = devices.outputs[i]!;
  const open = rows === replicas ? { executable: '$f', result: i, shape: [...shape], partitions, replicas } : 'unknown';
  return {
    ...inReplicas(cut, rows, whole.length > shape.length),
    whole,
    copies: `out${i}_copies`,
    ...(cut.open ? { open } : {}),
  };
}

/** Further arrays of the same result: as many as several devices have the same piece. */
function copiesOf({ starts, copies }: Pieces): string[] {
  const arrays = starts.length / new Set(starts.map(String)).size;
  return Array.from({ length: arrays - 1 }, (_, copy) => `$${copies}[${copy}]`);
}
