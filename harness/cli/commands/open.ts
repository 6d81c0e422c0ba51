import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { display } from '../../base/display.ts';
import type { CommandEnvironment } from '../../base/environment.ts';
import { openPage } from '../../base/open-page.ts';
import { type ConfigOptions, printConfigUse, withConfig, withPlaces } from '../config/option.ts';
import { helpOf } from './options.ts';

/** Adds `open`. */
export function addOpen(program: Command, environment: CommandEnvironment): void {
  const command = program
    .command('open')
    .description('show the HTML report of a run in the browser; writes it from the log if it is not there')
    .argument(
      '[run]',
      'directory of the run, or its events.jsonl (default: from the configuration, or the newest in reports/)',
    );
  withConfig(command, environment)
    .addHelpText('after', helpOf('open'))
    .action(async (run: string | undefined, options: ConfigOptions) => {
      printConfigUse(options, environment);
      const { pageOfRun } = await import('../../run/files/page-of-run.ts');
      const path = await withPlaces(options, () => pageOfRun(run, environment));
      const url = pathToFileURL(path).href;
      const shown = await openPage(url, environment.env);
      environment.stdout.write(`${display(environment.cwd, path)}\n${url}\n`);
      if (!shown) environment.stderr.write('note: there is no desktop here; open the address in a browser\n');
    });
}
