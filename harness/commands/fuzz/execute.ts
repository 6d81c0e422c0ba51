/** Runs programs on a plugin, in processes of its own, and returns the outcome of each. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandEnvironment } from '../../base/environment.ts';
import { readNpy } from '../../knowledge/arrays/npy.ts';
import type { HostArray } from '../../knowledge/numerics/array.ts';
import { dtype } from '../../knowledge/numerics/dtypes.ts';
import type { CaseResult } from '../../model/case-result.ts';
import type { ResolvedPlugin } from '../../model/plugin.ts';
import { resultsOn } from '../../run/plugin/results-on.ts';
import type { TimeoutOptions } from '../../run/plugin/timeouts.ts';
import type { Case, Requires, Step, StepBody } from '../../suite/types.ts';
import { typesIn } from './analyse.ts';
import { dataOf } from './contents.ts';
import { type Program, sizeOf } from './ir.ts';
import { printProgram } from './print.ts';

/** The outcome of a program. */
export type Outcome =
  | { kind: 'results'; arrays: HostArray[] }
  /** The plugin does not offer something that it needs. */
  | { kind: 'refused'; reason: string }
  /** It failed with an error, a crash or a missed deadline; failures with the same signature are taken for one. */
  | { kind: 'failed'; signature: string; message: string }
  /** It was not run: the run was interrupted, or the plugin could not be used at all. */
  | { kind: 'none'; reason: string };

/** How plugins are run. */
export interface Execution {
  workers: number;
  timeouts: TimeoutOptions;
  environment: Pick<CommandEnvironment, 'cwd' | 'env' | 'signal'>;
  /** Where results are kept until they are read. */
  scratch: string;
}

/** Runs programs. Never throws because of the plugin. */
export async function execute(
  plugin: ResolvedPlugin,
  programs: readonly Program[],
  { workers, timeouts, environment, scratch }: Execution,
): Promise<Outcome[]> {
  const directory = join(scratch, plugin.name);
  const outcomes: (Outcome | undefined)[] = programs.map(() => undefined);
  const cases = programs.map((program, i) => caseOf(program, i, directory));
  const reason = await resultsOn(plugin, cases, { workers, binding: 'lazy', timeouts, environment }, (id, result) => {
    const i = Number(id.slice(ID.length));
    outcomes[i] = outcomeOf(programs[i]!, result, directory, i);
  });
  return outcomes.map((outcome) => outcome ?? { kind: 'none', reason });
}

const ID = 'fuzz/program:';

const fileOf = (directory: string, program: number, result: number): string =>
  join(directory, `${program}-${result}.npy`);

/** The steps of a program, without those that say what is right. */
export function programSteps(program: Program, code: { text: string } | { program: string }): StepBody[] {
  const names = program.results.map((_, i) => `out${i}`);
  return [
    { verb: 'compile', as: 'f', ...code },
    ...program.parameters.map(
      (type, i): StepBody => ({ verb: 'put', as: `arg${i}`, data: dataOf(type, program.arguments[i]!) }),
    ),
    {
      verb: 'execute',
      executable: '$f',
      args: program.parameters.map((_, i) => `$arg${i}`),
      as: names.map((name) => `${name}_buffer`),
    },
    ...names.map((name): StepBody => ({ verb: 'get', buffer: `$${name}_buffer`, as: name })),
  ];
}

function caseOf(program: Program, i: number, directory: string): Case {
  const steps: StepBody[] = [
    ...programSteps(program, { text: printProgram(program) }),
    ...program.results.map((_, r): StepBody => ({ verb: 'store', array: `$out${r}`, file: fileOf(directory, i, r) })),
  ];
  return {
    id: `${ID}${i}`,
    suite: 'fuzz',
    name: `program-${i}`,
    params: {},
    file: 'fuzz',
    line: 1,
    title: 'a generated program runs',
    covers: [],
    level: 'must',
    levels: {},
    tags: [],
    requires: needsOf(program),
    isolation: 'worker',
    client: 'shared',
    deadline: {},
    steps: steps.map((step): Step => ({ ...step, line: 1 })),
  };
}

/** Element types and empty shapes, which a plugin need not hold; every other shape it must. */
function needsOf(program: Program): Requires {
  const types = typesIn(program);
  const outside = [...program.parameters, ...program.results.map((r) => types[r]!)];
  const empty = outside.filter((type) => sizeOf(type) === 0).map(({ shape }) => [...shape]);
  return {
    dtypes: [...new Set(types.map((type) => type.dtype))].sort(),
    ...(empty.length > 0 ? { shapes: empty } : {}),
  };
}

function outcomeOf(program: Program, result: CaseResult, directory: string, i: number): Outcome {
  const { status, reason, findings, stderr } = result;
  const [finding] = findings;
  const message = finding?.message ?? reason ?? status;
  switch (status) {
    case 'pass':
    case 'warn':
      try {
        return { kind: 'results', arrays: resultsOf(program, directory, i) };
      } catch (error) {
        // One result that cannot be read costs one program.
        return { kind: 'none', reason: (error as Error).message };
      }
    case 'unsupported':
      return { kind: 'refused', reason: reason ?? message };
    case 'crash':
    case 'timeout': {
      const how = result.signal ?? (result.exitCode === undefined ? '' : `exit code ${result.exitCode}`);
      const said = lastWords(stderr?.tail || stderr?.head || '');
      const signature = [status, how, result.inFlight, normal(said)].filter(Boolean).join(' · ');
      return { kind: 'failed', signature, message };
    }
    case 'skip':
    case 'notrun':
    case 'error':
      return { kind: 'none', reason: message };
    default: {
      const said = finding?.said ?? message;
      const signature = ['error', finding?.call, finding?.code, normal(said)].filter(Boolean).join(' · ');
      return { kind: 'failed', signature, message: `${message}: ${said}` };
    }
  }
}

function resultsOf(program: Program, directory: string, i: number): HostArray[] {
  const types = typesIn(program);
  return program.results.map((r, n) => {
    const file = fileOf(directory, i, n);
    return readNpy(readFileSync(file), file, dtype(types[r]!.dtype));
  });
}

/** The line of a crash that says most: a failed check, else the innermost frame, else the last line. */
function lastWords(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  return (
    lines.find((line) => /check failed|assert|terminate called|what\(\)|fatal/i.test(line)) ??
    lines.find((line) => /^#0|^\*\*\*|@ +0x/.test(line)) ??
    lines.at(-1) ??
    ''
  );
}

/** A message without what differs from program to program: numbers, names of values, addresses, times. */
const normal = (text: string): string =>
  text
    .replace(/"[^"]*"|'[^']*'/g, '…')
    .replace(/tensor<[^>]*>+|[a-z]+\d*\[[\d,]*\](\{[\d,]*\})?/g, 'T')
    .replace(/0x[0-9a-f]+/gi, 'N')
    .replace(/%[\w.#-]+/g, '%')
    .replace(/-?\d+(\.\d+)?/g, 'N')
    .slice(0, 160);
