import type { Command } from 'commander';
import { display } from '../../base/display.ts';
import type { CommandEnvironment } from '../../base/environment.ts';
import { TOOL } from '../../base/tool.ts';
import type { BundleOptions } from '../../commands/bundle/bundle.ts';
import { type ConfigOptions, printConfigUse, refuseMissing, withConfig, withPlaces } from '../config/option.ts';

const BUNDLE_HELP = `
Writes one archive with the log, the reports, the suites and a manifest with the hash of each: a record of what was run, with
which plugin, where, and with which result. The same run gives the same bytes. Values of environment variables that look like
secrets are not in the log; create options are, as given. docs/provenance.md says what a bundle proves.

Examples:
  $ pjrt-conformance bundle reports/foo                         # writes reports/foo/bundle.zip
  $ pjrt-conformance bundle                                     # the run in the output directory of pjrt-conformance.yaml
  $ pjrt-conformance bundle reports/foo --output foo-1.2.zip --with-plugin
  $ pjrt-conformance bundle reports/submitted --statement statement.yaml     # a submission: docs/conformance-programme.md
  $ pjrt-conformance verify reports/foo/bundle.zip

Exit codes:
  0    The bundle was written.
  2    There is no finished log, or files that the run used are missing or changed.
`;

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
    .addHelpText('after', BUNDLE_HELP)
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
