import { type Command, Option } from 'commander';
import type { CommandEnvironment } from '../../base/environment.ts';
import { CI_NAMES } from '../init/ci.ts';
import type { InitOptions } from '../init/init.ts';
import { helpOf } from './options.ts';

/** Adds `init`. */
export function addInit(program: Command, environment: CommandEnvironment): void {
  program
    .command('init')
    .description('write pjrt-conformance.yaml and a CI workflow into this repository')
    .option(
      '--plugin <plugin>',
      'the plugin to test: a path, a known name, or a manifest (default: the only library found here)',
    )
    .addOption(
      new Option('--ci <system>', 'CI system or scheduler (default: the CI system that the repository uses)').choices([
        ...CI_NAMES,
        'none',
      ]),
    )
    .option('--force', 'overwrite pjrt-conformance.yaml, whoever wrote it, and a workflow that init wrote')
    .addHelpText('after', helpOf('init'))
    .action(async (options: InitOptions) => {
      const { init } = await import('../init/init.ts');
      init(options, environment);
    });
}
