import { type Command, Option } from 'commander';
import { CI_NAMES } from '../init/ci.ts';
import type { InitOptions } from '../init/init.ts';
import type { Surroundings } from '../surroundings.ts';

const INIT_HELP = `
Writes pjrt-conformance.yaml, with comments that say what else can stand in it, and a workflow for your CI that runs the
tests, shows the JUnit report and keeps all reports. Files that are there stay; a workflow of your own is never touched,
ours goes beside it. The workflow pins the version of this tool: a newer one may have more cases.

Examples:
  $ pjrt-conformance init                                        # the CI is read off the repository
  $ pjrt-conformance init --plugin ./build/pjrt-plugin-foo.so --ci gitlab
  $ pjrt-conformance init --ci none                              # the configuration only
  $ pjrt-conformance init --force                                # anew, after an update of this tool

Exit codes:
  0    Something was written; what is left for you to do is printed.
  2    Wrong options, or nothing to do.
`;

/** `init`: its options and help. */
export function addInit(program: Command, around: Surroundings): void {
  program
    .command('init')
    .description('write pjrt-conformance.yaml and a CI workflow into this repository')
    .option(
      '--plugin <plugin>',
      'what to test: a path, a known name, or a manifest (default: the one library found here)',
    )
    .addOption(
      new Option('--ci <system>', 'CI system (default: what the repository uses)').choices([...CI_NAMES, 'none']),
    )
    .option('--force', 'write files anew that init has written before')
    .addHelpText('after', INIT_HELP)
    .action(async (options: InitOptions) => {
      const { init } = await import('../init/init.ts');
      init(options, around);
    });
}
