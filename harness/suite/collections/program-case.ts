/** A program with its data as a case. */
import type { FileData } from '../../knowledge/numerics/data.ts';
import type { Program } from '../../knowledge/programs/program.ts';
import type { Case, Compare, Pieces, Step, StepBody } from '../types.ts';
import { inReplicas, type ProgramDevices } from './program-devices.ts';
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
}

/** The requirement that the results of programs come under. */
const REQUIREMENT = 'NUM-PRG-001';

/** The default comparison of results. */
const BY_PROFILE: Compare = { bound: 'program' };

/** One case: compile, transfer, execute, read, compare. */
export function programCase(parts: ProgramParts): Case {
  const { suite, files, program, outputs, settings, judgedByOracle, devices } = parts;
  const { name } = files;
  const judge = outputs ? 'compared with the expected ones' : judgedByOracle ? 'compared with the oracle' : undefined;
  const results = program.outputs.length === 1 ? 'its result is' : `its ${program.outputs.length} results are`;
  return {
    id: `${suite}:${name}`,
    suite,
    name,
    params: {},
    file: files.program,
    line: 1,
    title: judge ? `${name} runs, and ${results} ${judge}` : `${name} runs; no results are known to compare with`,
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
    deadline: {},
    steps: programSteps(parts),
  };
}

const typesOf = ({ inputs, outputs }: Program): string[] =>
  [...new Set([...inputs, ...outputs].map(({ dtype }) => dtype))].sort();

function programSteps(parts: ProgramParts): Step[] {
  const { program, inputs, outputs, settings, seed, judgedByOracle, devices } = parts;
  const { replicas = 1, partitions = 1 } = devices ?? {};
  const shaped = (shape: readonly number[]): number[] => (replicas > 1 ? [replicas, ...shape] : [...shape]);
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
    const cut = devices?.outputs[i];
    return { name: `out${i}`, dtype, pieces: cut && piecesOf(`out${i}`, cut, replicas, whole) };
  });
  const steps: StepBody[] = [
    {
      verb: 'compile',
      as: 'f',
      program: program.file,
      ...(options || settings.options ? { options: { ...options, ...settings.options } } : {}),
    },
    ...given.map((data, i): StepBody => {
      const own = ('file' in data ? data.file.shape! : data.hash.shape).length > program.inputs[i]!.shape.length;
      const pieces = devices && inReplicas(devices.inputs[i]!, replicas, own);
      return { verb: 'put', as: `arg${i}`, data, ...(pieces ? { pieces } : {}) };
    }),
    {
      verb: 'execute',
      executable: '$f',
      ...(devices
        ? { lists: Array.from({ length: replicas * partitions }, (_, device) => args(`[${device}]`)) }
        : { args: args('') }),
      as: results.map(({ name }) => `${name}_buffer`),
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

function piecesOf(name: string, cut: ProgramDevices['outputs'][number], replicas: number, whole: number[]): Pieces {
  const own = whole.length > cut.shape.length;
  return { ...inReplicas(cut, replicas, own), whole, open: cut.open, copies: `${name}_copies` };
}

/** Further arrays of the same result: as many as several devices have the same piece. */
function copiesOf({ starts, copies }: Pieces): string[] {
  const arrays = starts.length / new Set(starts.map(String)).size;
  return Array.from({ length: arrays - 1 }, (_, copy) => `$${copies}[${copy}]`);
}
