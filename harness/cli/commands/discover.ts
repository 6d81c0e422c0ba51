import { type Command, Option } from 'commander';
import { cacheDirectoryOf } from '../../base/cache-directory.ts';
import type { CommandEnvironment } from '../../base/environment.ts';
import { discover, formatDiscovery, formatDiscoveryJson } from '../../host/plugins/discover.ts';
import { helpOf } from './options.ts';

/** Adds `discover`. */
export function addDiscover(program: Command, environment: CommandEnvironment): void {
  program
    .command('discover')
    .description('list the plugins that can be found, in search order, and the files that are ignored, with the reason')
    .addOption(new Option('--format <format>', 'output format').choices(['text', 'json']).default('text'))
    .addHelpText('after', helpOf('discover'))
    .action(async (options: { format: 'text' | 'json' }) => {
      const found = await discover(environment.env, environment.cwd, { cacheDir: cacheDirectoryOf(environment.env) });
      environment.stdout.write(options.format === 'json' ? formatDiscoveryJson(found) : formatDiscovery(found));
    });
}
