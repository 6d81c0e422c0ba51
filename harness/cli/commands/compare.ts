import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type CommandEnvironment, wantsColor } from '../../base/environment.ts';
import { UsageError } from '../../base/usage-error.ts';
import {
  comparisonFiles,
  comparisonFormat,
  comparisonText,
  summariseForGithub,
  writeComparisons,
} from '../../report/compare/comparison-files.ts';
import { COMPARISON_FORMATS } from '../../report/compare/formats.ts';
import { checkPlaces, type Place, placesOf, reportLines } from '../../run/files/report-files.ts';
import { type ExitCode, exitCode } from '../../verdict/exit-codes.ts';
import { type ConfigOptions, printConfigUse, withConfig, withPlaces } from '../config/option.ts';
import { collect, type Done, helpOf, withConsole } from './options.ts';

/** Parsed options of `compare`. */
interface CompareOptions extends ConfigOptions {
  old?: string[];
  new?: string[];
  policy?: string;
  printPolicy?: boolean;
  format: string;
  report?: string[];
  output?: string;
  github?: boolean;
  quiet?: boolean;
  verbose?: boolean;
  color?: boolean;
}

/** Adds `compare`. */
export function addCompare(program: Command, environment: CommandEnvironment, done: Done): void {
  const command = program
    .command('compare')
    .description('show what changed between two runs, and whether a policy calls it a regression; needs no plugin')
    .argument('[runs...]', 'OLD and NEW: logs, JSON reports, or directories of runs')
    .optionsGroup('Which runs:')
    .option('--old <runs...>', 'the old runs, if there are several: shards or repeats')
    .option('--new <runs...>', 'the new runs, if there are several: shards or repeats')
    .optionsGroup('Verdict:')
    .option('--policy <file>', 'YAML file that says which changes are regressions (schemas/gate-policy.schema.json)')
    .option('--print-policy', 'print the default policy as a starting point')
    .optionsGroup('Output:')
    .option('--format <format>', `output format: ${formatNames()}`, 'text')
    .option(
      '--report <format[=file]>',
      `also write a file: ${COMPARISON_FORMATS.map(({ name, description }) => `${name} (${description})`).join(', ')} (repeatable)`,
      collect,
    )
    .option('--output <dir>', 'directory for --report without a file name (default: the working directory)')
    .option('--no-github', 'write no job summary in a GitHub workflow');
  withConsole(command, 'every change, with all details');
  withConfig(command, environment)
    .addHelpText('after', helpOf('compare'))
    .action(async (runs: string[], options: CompareOptions) => {
      if (options.printPolicy) {
        const { defaultPolicyYaml } = await import('../../report/compare/policy.ts');
        environment.stdout.write(defaultPolicyYaml());
        return;
      }
      printConfigUse(options, environment);
      done(await withPlaces(options, () => compare(runs, options, environment)));
    });
}

const formatNames = (): string => COMPARISON_FORMATS.map(({ name }) => name).join(', ');

/**
 * Compares, prints and writes the requested reports.
 * @returns 0, or 1 if the policy calls a change a regression
 * @throws UsageError, EventLogError, SuiteError (for the policy)
 */
async function compare(
  files: readonly string[],
  options: CompareOptions,
  environment: CommandEnvironment,
): Promise<ExitCode> {
  const sides = sidesOf(files, options);
  const format = comparisonFormat(options.format);
  const written = comparisonFiles(
    options.report ?? [],
    resolve(environment.cwd, options.output ?? '.'),
    environment.cwd,
  );
  const [{ compareFiles }, { runFile }] = await Promise.all([
    import('../../report/compare/compare-files.ts'),
    import('../../report/compare/read-runs.ts'),
  ]);
  const at = (name: string): string => resolve(environment.cwd, name);
  const read = [...sides.old, ...sides.new].map(
    (name): Place => ['a run to compare', runFile({ name, path: at(name) })],
  );
  if (options.policy !== undefined) read.push(['the policy', at(options.policy)]);
  checkPlaces(read, placesOf(written, 'comparison'), environment.cwd);
  const comparison = compareFiles({ ...sides, policy: options.policy }, environment.cwd);
  if (format.name === 'text') {
    const { comparisonLines } = await import('../../report/compare/text.ts');
    const color = options.color ?? wantsColor(environment);
    const lines = comparisonLines(comparison, { ...options, color });
    environment.stdout.write(`${lines.join('\n')}\n`);
  } else environment.stdout.write(await comparisonText(comparison, format, environment));
  await writeComparisons(comparison, written, environment);
  if (written.length > 0 && !options.quiet) {
    const lines = reportLines(
      written.map(({ format: { name }, path }) => [name, path]),
      environment.cwd,
    );
    // Standard output may be a document.
    for (const line of lines) (format.name === 'text' ? environment.stdout : environment.stderr).write(`${line}\n`);
  }
  if (options.github !== false) await summariseForGithub(comparison, environment);
  return exitCode(comparison.gate.verdict === 'fail' ? 'fails' : 'passes');
}

function sidesOf(files: readonly string[], options: CompareOptions): { old: string[]; new: string[] } {
  const usage = 'expected compare OLD NEW, or compare --old OLD… --new NEW… if a side has several logs';
  if (options.old || options.new) {
    if (files.length > 0 || !options.old || !options.new) throw new UsageError(usage);
    return { old: options.old, new: options.new };
  }
  if (files.length !== 2) {
    const many = files.length > 2 ? `; got ${files.length} files: which are old?` : '';
    throw new UsageError(`${usage}${many}`);
  }
  return { old: [files[0]!], new: [files[1]!] };
}
