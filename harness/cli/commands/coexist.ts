import { type Command, Option } from 'commander';
import { type CommandEnvironment, wantsColor } from '../../base/environment.ts';
import type { CoexistOptions } from '../../commands/coexist/run-arrangements.ts';
import { withResolution } from './one-plugin.ts';
import { collect, type Done, exitCodeHelp, helpOf, wholeNumber, withConsole, withDeadlines } from './options.ts';

type Options = Omit<CoexistOptions, 'plugins'> & { quiet?: boolean; verbose?: boolean; color?: boolean };

/** Adds `coexist`. */
export function addCoexist(program: Command, environment: CommandEnvironment, done: Done): void {
  const command = program
    .command('coexist')
    .description('run several plugins in one process in every order, and find out which one disturbs the others')
    .argument('[plugins...]', 'paths of shared libraries, known names, or manifests, as for --plugin')
    .option('--all-found', 'also every plugin that is found here and needs no download and no build (see discover)')
    .option(
      '--control <plugin>',
      'a further partner of each plugin, which helps to find the culprit (default: reference, if it is built and there are two plugins)',
    )
    .option('--no-control', 'no further partner')
    .option(
      '--tests <glob>',
      'only these cases of arrangements with several plugins (repeatable; coexistence/**)',
      collect,
    )
    .option('--cell <name>', 'only this arrangement, and its plugins alone (repeatable)', collect)
    .option(
      '--workers <n>',
      'number of arrangements that run at the same time (2; 1 if a plugin allows only one process)',
      wholeNumber,
    )
    .addOption(new Option('--binding <how>', 'how symbols are bound at load').choices(['now', 'lazy']).default('now'))
    .option('--output <dir>', 'directory of the reports (default: reports/coexistence)');
  withResolution(command);
  withDeadlines(command);
  withConsole(command, 'also warnings of plugins alone, details, and all notes on the files')
    .addHelpText('after', helpOf('coexist', { ending: exitCodeHelp }))
    .action(async (plugins: string[], options: Options) => {
      if (plugins.length === 0 && !options.allFound)
        return command.error('error: name the plugins, or use --all-found for those that discover finds');
      done(await run({ ...options, plugins }, environment));
    });
}

async function run(options: Options & CoexistOptions, environment: CommandEnvironment): Promise<number> {
  const [{ coexist }, { matrixLines, progressLine }, { writeMatrix }, { reportLines }] = await Promise.all([
    import('../../commands/coexist/run-arrangements.ts'),
    import('../../commands/coexist/text.ts'),
    import('../../commands/coexist/files.ts'),
    import('../../run/files/report-files.ts'),
  ]);
  const { quiet, verbose = false, color = wantsColor(environment), ...rest } = options;
  const { matrix, directory } = await coexist(rest, environment, (cell, of, planned) => {
    if (!quiet) environment.stderr.write(`${progressLine(cell, of, planned)}\n`);
  });
  const written = writeMatrix(matrix, directory);
  const lines = quiet && matrix.exitCode === 0 ? [matrix.line] : matrixLines(matrix, { color, verbose });
  const files = quiet ? [] : ['', ...reportLines(written, environment.cwd)];
  environment.stdout.write(`${[...lines, ...files].join('\n')}\n`);
  return matrix.exitCode;
}
