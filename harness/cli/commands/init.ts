import { type Command, Option } from 'commander';
import type { CommandEnvironment } from '../../base/environment.ts';
import { CI_NAMES } from '../init/ci.ts';
import type { InitOptions } from '../init/init.ts';

const INIT_HELP = `
Writes pjrt-conformance.yaml, with its other keys as comments, and a workflow for your CI system that runs the tests, publishes
the JUnit report and keeps all reports; or a job for Slurm or Kubernetes that splits them over several machines (docs/fleet.md). Existing files are kept. Your own workflow is never changed; the new one is written beside
it. The workflow pins the version of this tool, because a newer version may have more cases.

Examples:
  $ pjrt-conformance init                                        # detects the CI system
  $ pjrt-conformance init --plugin ./build/pjrt-plugin-foo.so --ci gitlab
  $ pjrt-conformance init --ci slurm                             # a batch script for an array; also kubernetes
  $ pjrt-conformance init --ci none                              # only the configuration
  $ pjrt-conformance init --force                                # overwrite, after an update of this tool

Exit codes:
  0    Files were written; the next steps are printed.
  2    Wrong options, or nothing to do.
`;

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
    .addHelpText('after', INIT_HELP)
    .action(async (options: InitOptions) => {
      const { init } = await import('../init/init.ts');
      init(options, environment);
    });
}
