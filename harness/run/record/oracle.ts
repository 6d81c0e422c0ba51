/** Expected results from another plugin: it runs the programs in processes of its own, and its outputs become files. */
import { join } from 'node:path';
import type { CommandEnvironment } from '../../base/environment.ts';
import type { CaseResult } from '../../model/case-result.ts';
import type { ResolvedPlugin } from '../../model/plugin.ts';
import type { Case, Step } from '../../suite/types.ts';
import type { RunOptions } from '../plan/run-options.ts';
import { workerCount } from '../plugin/plugin-setup.ts';
import { resultsOn } from '../plugin/results-on.ts';
import type { TimeoutOptions } from '../plugin/timeouts.ts';

/** What the oracle said of a program: its outputs in order, or why it has none. */
export type OracleAnswer = { outputs: string[] } | { reason: string };

/** How the oracle is run. */
export interface Consultation {
  oracle: ResolvedPlugin;
  /** Cases that bind each result of their program as `out0`, `out1`, …, and compare none. */
  cases: readonly Case[];
  /** Where the outputs are written. */
  directory: string;
  options: Pick<RunOptions, 'binding' | 'workers'> & TimeoutOptions;
  environment: Pick<CommandEnvironment, 'cwd' | 'env' | 'signal'>;
  /** Called after each answer. */
  onAnswer?(answered: number): void;
}

/** Whether a case needs an oracle. */
export const isOpen = ({ steps }: Case): boolean => steps.some(({ verb }) => verb === 'consult');

/** A case with what the oracle said. */
export function answered(testCase: Case, answer: OracleAnswer, oracle: string): Case {
  const results = resultsOf(testCase);
  let noted = false;
  const steps = testCase.steps.flatMap((step): Step[] => {
    if (step.verb !== 'consult') return [step];
    const { actual, result, compare, dtype, line } = step;
    if ('outputs' in answer) {
      const path = answer.outputs[results.indexOf(result)]!;
      return [{ verb: 'expect', actual, equals: { file: { path, dtype } }, compare, line }];
    }
    if (noted) return [];
    noted = true;
    return [{ verb: 'unjudged', because: `it runs, but the oracle ${oracle} says nothing: ${answer.reason}`, line }];
  });
  return { ...testCase, steps };
}

/** Runs cases on the oracle. Never throws because of the oracle: what it cannot run has a reason. */
export async function consult(consultation: Consultation): Promise<Map<string, OracleAnswer>> {
  const { oracle, cases, directory, options, environment, onAnswer } = consultation;
  const files = new Map(cases.map((testCase, i) => [testCase.id, outputFiles(testCase, join(directory, String(i)))]));
  const answers = new Map<string, OracleAnswer>();
  const apart = { workers: workerCount(options, [oracle]), binding: options.binding, timeouts: options, environment };
  const stored = cases.map((testCase) => storing(testCase, files.get(testCase.id)!));
  const reason = await resultsOn(oracle, stored, apart, (id, result) => {
    answers.set(id, answerOf(result, files.get(id)!));
    onAnswer?.(answers.size);
  });
  for (const { id } of cases) {
    if (!answers.has(id)) answers.set(id, { reason });
  }
  return answers;
}

const resultsOf = ({ steps }: Case): string[] =>
  steps.flatMap((step) => (step.verb === 'get' && step.as !== undefined ? [step.as] : []));

const outputFiles = (testCase: Case, directory: string): string[] =>
  resultsOf(testCase).map((name) => join(directory, `${name}.npy`));

const storing = (testCase: Case, files: readonly string[]): Case => ({
  ...testCase,
  steps: [
    ...testCase.steps.filter(({ verb }) => verb !== 'consult'),
    ...resultsOf(testCase).map((name, i) => ({ verb: 'store', array: `$${name}`, file: files[i]!, line: 1 }) as const),
  ],
});

function answerOf({ status, reason, findings }: CaseResult, outputs: string[]): OracleAnswer {
  // What only warns has run to its end.
  if (status === 'pass' || status === 'warn') return { outputs };
  return { reason: reason ?? findings[0]?.message ?? status };
}
