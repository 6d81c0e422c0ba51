import type { Command } from 'commander';
import type { BundleOptions } from '../bundle.ts';
import { type ConfigOptions, refuseMissing, tellConfig, withConfig } from '../config/option.ts';
import type { Surroundings } from '../surroundings.ts';

const BUNDLE_HELP = `
One archive with the log, the reports, the suites and a manifest with the hash of each: what was run, with which plugin,
where, and what came of it. The same run gives the same bytes. Secrets in variables of the environment are not in the
log; create options are, as they were given. docs/provenance.md says what a bundle proves.

Examples:
  $ pjrt-conformance bundle reports/foo                         # writes reports/foo/bundle.zip
  $ pjrt-conformance bundle                                     # the run that pjrt-conformance.yaml is about (output:)
  $ pjrt-conformance bundle reports/foo --output foo-1.2.zip --with-plugin
  $ pjrt-conformance verify reports/foo/bundle.zip

Exit codes:
  0    It was written.
  2    There is no finished log, or what the run used is not here any more.
`;

/** `bundle`: its options and help. */
export function addBundle(program: Command, around: Surroundings): void {
  const command = program
    .command('bundle')
    .description('pack a run into one archive that can be verified: log, reports, suites, hashes')
    .argument(
      '[log]',
      'event log of a finished run, or the folder that it is in (default: where the configuration has it)',
    )
    .option('--output <file>', 'the archive (default: bundle.zip beside the log)')
    .option('--with-plugin', 'pack the plugin too');
  withConfig(command, around)
    .addHelpText('after', BUNDLE_HELP)
    .action(async (log: string | undefined, options: BundleOptions & ConfigOptions) => {
      if (log === undefined) refuseMissing(command, "missing required argument 'log'", 'output');
      tellConfig(options, around);
      const { bundle } = await import('../bundle.ts');
      await bundle(log, options, around);
    });
}
