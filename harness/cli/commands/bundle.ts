import type { Command } from 'commander';
import { display } from '../../base/display.ts';
import type { CommandEnvironment } from '../../base/environment.ts';
import { TOOL } from '../../base/tool.ts';
import type { BundleOptions } from '../../commands/bundle/bundle.ts';
import { type ConfigOptions, printConfigUse, refuseMissing, withConfig, withPlaces } from '../config/option.ts';
import { helpOf } from './options.ts';

/** Adds `bundle`. */
export function addBundle(program: Command, environment: CommandEnvironment): void {
  const command = program
    .command('bundle')
    .description('pack a run into one verifiable archive: log, reports, suites, hashes')
    .argument('[log]', 'event log of a finished run, or its directory (default: from the configuration)')
    .option('--output <file>', 'path of the archive (default: bundle.zip beside the log)')
    .option('--with-plugin', 'include the library of the plugin')
    .option('--statement <file>', 'statement of a submission (default: that of `run --statement`)');
  withConfig(command, environment)
    .addHelpText('after', helpOf('bundle'))
    .action(async (log: string | undefined, options: BundleOptions & ConfigOptions) => {
      if (log === undefined) refuseMissing(command, "missing required argument 'log'", 'output');
      printConfigUse(options, environment);
      const { bundle } = await import('../../commands/bundle/bundle.ts');
      const { path, bytes, sha256 } = await withPlaces(options, () => bundle(log, options, environment));
      const place = display(environment.cwd, path);
      environment.stdout.write(
        `${place}\n${bytes} bytes, sha256 ${sha256}\nto check it: ${TOOL.name} verify ${place}\n`,
      );
    });
}
