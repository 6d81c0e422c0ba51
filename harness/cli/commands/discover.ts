import { type Command, Option } from 'commander';
import { cacheDirOf } from '../../plugins/cache.ts';
import { discover, formatDiscovery, formatDiscoveryJson } from '../../plugins/discover.ts';
import type { Surroundings } from '../surroundings.ts';

/** `discover`: its options and help. */
export function addDiscover(program: Command, around: Surroundings): void {
  program
    .command('discover')
    .description('list the plugins that are found, where, in which order, and why files are passed over')
    .addOption(new Option('--format <format>', 'output').choices(['text', 'json']).default('text'))
    .action(async (options: { format: 'text' | 'json' }) => {
      const found = await discover(around.env, around.cwd, { cacheDir: cacheDirOf(around.env) });
      around.stdout.write(options.format === 'json' ? formatDiscoveryJson(found) : formatDiscovery(found));
    });
}
