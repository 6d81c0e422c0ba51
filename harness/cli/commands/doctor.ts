import { type Command, Option } from 'commander';
import { type ConfigOptions, refuseMissing, tellConfig, withConfig, withPlaces } from '../config/option.ts';
import type { DoctorOptions } from '../doctor.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Done } from './done.ts';
import { collect, milliseconds, PLUGIN_ARGUMENT } from './options.ts';

const DOCTOR_HELP = `
Looks at the file, at the libraries, versions and symbols that it needs, at device nodes, lock files and variables that
are known to matter, and then has a worker process load the plugin and create a client. ✗ may be the cause, ! may matter,
· is good to know, ✓ is in order. The last line is the verdict.

Examples:
  $ pjrt-conformance doctor ./pjrt-plugin-foo.so
  $ pjrt-conformance doctor ./foo.so --option visible_devices=0,1
  $ pjrt-conformance doctor ./foo.so --format json | jq -r '.findings[0] | .what, .next'

Exit codes:
  0    It loads and creates a client.
  2    Wrong usage.
  3    It does not; the most likely cause is the first finding.
`;

/** `doctor`: its options and help. */
export function addDoctor(program: Command, around: Surroundings, done: Done): void {
  const command = program
    .command('doctor')
    .description(
      'why a plugin does not load or creates no client: what was seen and what to do, most likely cause first',
    )
    .argument('[plugin]', PLUGIN_ARGUMENT)
    .option('--option <name=value>', 'create option for the plugin (repeatable)', collect)
    .option(
      '--timeout <time>',
      'deadline of all that it does (else 60s to load the library and 5m for a client, or what the manifest asks for)',
      milliseconds,
    )
    .addOption(new Option('--binding <how>', 'how symbols are bound at load').choices(['now', 'lazy']).default('lazy'))
    .option('--no-fetch', 'never download a known plugin')
    .addOption(new Option('--format <format>', 'output').choices(['text', 'json']).default('text'));
  withConfig(command, around)
    .addHelpText('after', DOCTOR_HELP)
    .action(async (plugin: string | undefined, options: DoctorOptions & ConfigOptions) => {
      if (plugin === undefined) refuseMissing(command, "missing required argument 'plugin'", 'plugin');
      tellConfig(options, around);
      const { doctor } = await import('../doctor.ts');
      done(await withPlaces(options, () => doctor(plugin, options, around)));
    });
}
