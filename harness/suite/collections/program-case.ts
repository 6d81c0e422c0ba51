/** A program with its data as a case. */
import type { Data, FileData } from '../../knowledge/numerics/data.ts';
import type { Program } from '../../knowledge/programs/program.ts';
import type { Case, Compare, Step, StepBody } from '../types.ts';
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
}

/** The requirement that the results of programs come under. */
const REQUIREMENT = 'NUM-PRG-001';

/** The default comparison of results. */
const BY_PROFILE: Compare = { bound: 'program' };

/** One case: compile, transfer, execute, read, compare. */
export function programCase(parts: ProgramParts): Case {
  const { suite, files, program, outputs, settings, judgedByOracle } = parts;
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
    requires: { dtypes: typesOf(program), ...settings.requires },
    isolation: 'worker',
    client: 'shared',
    deadline: {},
    steps: programSteps(parts),
  };
}

const typesOf = ({ inputs, outputs }: Program): string[] =>
  [...new Set([...inputs, ...outputs].map(({ dtype }) => dtype))].sort();

function programSteps({ program, inputs, outputs, settings, seed, judgedByOracle }: ProgramParts): Step[] {
  const given = program.inputs.map(
    ({ dtype, shape }, i): Data =>
      inputs?.[i] ?? { hash: { dtype, shape: [...shape], seed: (settings.seed ?? seed) + i } },
  );
  const results = program.outputs.map((_, i) => `out${i}`);
  const steps: StepBody[] = [
    { verb: 'compile', as: 'f', program: program.file, ...(settings.options ? { options: settings.options } : {}) },
    ...given.map((data, i): StepBody => ({ verb: 'put', as: `arg${i}`, data })),
    {
      verb: 'execute',
      executable: '$f',
      args: given.map((_, i) => `$arg${i}`),
      as: results.map((name) => `${name}_buffer`),
    },
    ...results.map((name): StepBody => ({ verb: 'get', buffer: `$${name}_buffer`, as: name })),
    ...results.flatMap((name, i): StepBody[] => {
      const own = settings.compare ?? BY_PROFILE;
      const compare = Array.isArray(own) ? (own[i] ?? BY_PROFILE) : own;
      const equals = outputs?.[i];
      if (equals) return [{ verb: 'expect', actual: `$${name}`, equals, compare }];
      const { dtype } = program.outputs[i]!;
      return judgedByOracle ? [{ verb: 'consult', actual: `$${name}`, dtype, compare }] : [];
    }),
  ];
  return steps.map((step) => ({ ...step, line: 1 }));
}
