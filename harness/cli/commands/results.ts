import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Argument, type Command, Option } from 'commander';
import { asJson } from '../../base/as-json.ts';
import { display } from '../../base/display.ts';
import type { CommandEnvironment } from '../../base/environment.ts';
import { textTable } from '../../base/text-table.ts';
import { UsageError } from '../../base/usage-error.ts';
import { FAULTS } from '../../commands/results/faults.ts';
import { readable } from '../readable.ts';
import { type Done, helpOf } from './options.ts';

interface ResultsOptions {
  output?: string;
  passing?: boolean;
  trustedRoot?: string;
  format: 'text' | 'json';
  quiet?: boolean;
}

/** The rules with their meaning. */
const rulesHelp = (): string => textTable(Object.entries(FAULTS), { indent: '  ' }).join('\n');

/** Adds `results`. */
export function addResults(program: Command, environment: CommandEnvironment, done: Done): void {
  const command = program
    .command('results')
    .description('check submissions to the conformance programme, or render them as a static site')
    .addArgument(new Argument('<action>', 'what to do').choices(['check', 'render']))
    .argument('[dir]', 'directory of submissions, or one submission', 'results')
    .option('--output <dir>', 'render: directory of the site (default: site)')
    .option('--passing', 'refuse runs that do not pass their list')
    .option('--trusted-root <file>', "authorities of attestations (default: those of Sigstore's public instance)")
    .addOption(new Option('--format <format>', 'output format').choices(['text', 'json']).default('text'))
    .option('--quiet', 'no progress');
  command
    .addHelpText('after', helpOf('results', { rules: rulesHelp }))
    .action(async (action: 'check' | 'render', dir: string, options: ResultsOptions) => {
      if (action === 'check' && options.output !== undefined)
        command.error('error: --output is for `results render`; `results check` writes no files');
      done(await results(action, dir, options, environment));
    });
}

async function results(
  action: 'check' | 'render',
  dir: string,
  { output = 'site', passing = false, trustedRoot, format, quiet }: ResultsOptions,
  environment: CommandEnvironment,
): Promise<number> {
  const { cwd, stdout, stderr } = environment;
  const [{ checkResults }, { formatResults, resultsAsJson }] = await Promise.all([
    import('../../commands/results/check.ts'),
    import('../../commands/results/format.ts'),
  ]);
  const progress = (name: string, index: number, count: number): void => {
    if (!quiet && count > 1) stderr.write(readable(`${index} of ${count}: ${name}\n`));
  };
  const root = trustedRoot === undefined ? undefined : resolve(cwd, trustedRoot);
  if (root !== undefined && !existsSync(root))
    throw new UsageError(`--trusted-root ${trustedRoot}: there is no such file`, { options: ['trusted-root'] });
  const examined = await checkResults(resolve(cwd, dir), dir, { passing, trustedRoot: root }, progress);
  stdout.write(format === 'json' ? asJson(resultsAsJson(examined)) : readable(formatResults(examined)));
  if (action === 'render') {
    const { writeSite } = await import('../../commands/results/site/site.ts');
    const valid = examined.flatMap(({ submission }) => submission ?? []);
    const index = await writeSite(valid, resolve(cwd, output));
    if (format === 'text') stdout.write(`${display(cwd, index)}\n`);
  }
  return examined.every(({ submission }) => submission) ? 0 : 1;
}
