import { join } from 'node:path';
import { display } from '../../base/display.ts';
import { type CommandEnvironment, wantsColor } from '../../base/environment.ts';
import { UsageError } from '../../base/usage-error.ts';
import type { Run } from '../../model/run.ts';
import { compareRuns } from '../../report/compare/compare.ts';
import { type ComparisonFile, summariseForGithub, writeComparisons } from '../../report/compare/comparison-files.ts';
import { COMPARISON_FORMATS, GATE_FORMATS } from '../../report/compare/formats.ts';
import { policyIn } from '../../report/compare/policy.ts';
import { runsIn } from '../../report/compare/read-runs.ts';
import { comparisonLines } from '../../report/compare/text.ts';
import { type ExitCode, gatedExitCode } from '../../verdict/exit-codes.ts';
import { type ReportFile, reportLines } from './report-files.ts';

/** Options of `run` that compare it with an earlier run. */
export interface GateOptions {
  baseline?: string[];
  gate?: boolean;
  policy?: string;
  github?: boolean;
  quiet?: boolean;
  verbose?: boolean;
  color?: boolean;
}

/** A comparison of a run with its baseline. */
export interface Gate {
  /** Files to write in addition to the reports of the run. */
  files: readonly ComparisonFile[];
  /**
   * Compares the run, then writes and prints the comparison.
   * @param log name of the run's log
   * @returns the combined exit code of run and gate
   */
  judge(run: Run, log: string, code: ExitCode): Promise<ExitCode>;
}

/**
 * Reads the baseline and the policy before the run starts, so that an unreadable one costs no run.
 * @param planned ids of the cases of the run
 * @param reports of the run: a requested format that comparisons also have is written for the comparison too
 * @returns undefined without `--baseline`
 * @throws UsageError, EventLogError, SuiteError
 */
export function gateOf(
  options: GateOptions,
  planned: readonly string[],
  reports: readonly ReportFile[],
  directory: string,
  environment: CommandEnvironment,
): Gate | undefined {
  const { baseline } = options;
  if (!baseline) {
    const alone = options.gate ? 'gate' : options.policy && 'policy';
    if (alone) {
      const option = alone === 'gate' ? '--gate' : `--policy ${options.policy}`;
      const message = `${option} needs --baseline with an earlier run: its directory, log or JSON report`;
      throw new UsageError(message, { options: [alone, 'baseline'] });
    }
    return undefined;
  }
  const policy = policyIn(options.policy, environment.cwd);
  const old = runsIn(baseline, environment.cwd);
  if (!planned.some((id) => old.some(({ run }) => run.cases.has(id)))) {
    throw new UsageError(
      `--baseline ${baseline.join(' ')}: it has no case in common with this run; nothing to compare`,
      { options: ['baseline'] },
    );
  }
  const names = new Set([...GATE_FORMATS, ...reports.map(({ format }) => format.name)]);
  const formats = COMPARISON_FORMATS.filter(({ name }) => names.has(name));
  const files = formats.map((format) => ({ format, path: join(directory, format.file) }));
  const judge: Gate['judge'] = async (run, log, code) => {
    const comparison = compareRuns(old, [{ name: display(environment.cwd, log), run }], policy);
    await writeComparisons(comparison, files, environment);
    const regressed = comparison.gate.verdict === 'fail';
    const lines = comparisonLines(comparison, {
      ...options,
      color: options.color ?? wantsColor(environment),
      consequence: options.gate
        ? `exit code of the run with its gate ${gatedExitCode(code, regressed)}`
        : 'for information only: --gate makes it count',
    });
    const written = reportLines(
      files.map(({ format, path }) => [`comparison ${format.name}`, path]),
      environment.cwd,
    );
    // The verdict of the gate comes last.
    environment.stdout.write(['', ...(options.quiet ? [] : written), ...lines, ''].join('\n'));
    if (options.github !== false) await summariseForGithub(comparison, environment);
    return gatedExitCode(code, options.gate === true && regressed);
  };
  return { files, judge };
}
