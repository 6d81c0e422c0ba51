import { type Command, Option } from 'commander';
import { asJson } from '../../base/as-json.ts';
import type { CommandEnvironment } from '../../base/environment.ts';
import type { DiagnoseOptions } from '../../commands/doctor/diagnose.ts';
import { exitCode } from '../../verdict/exit-codes.ts';
import { type ConfigOptions, printConfigUse, refuseMissing, withConfig, withPlaces } from '../config/option.ts';
import { patientlyOn } from '../patience.ts';
import { withCreateOptions } from './one-plugin.ts';
import { type Done, helpOf, milliseconds, PLUGIN_ARGUMENT, withDevices, withHost } from './options.ts';

interface DoctorOptions extends DiagnoseOptions, ConfigOptions {
  format: 'text' | 'json';
}

/** Adds `doctor`. */
export function addDoctor(program: Command, environment: CommandEnvironment, done: Done): void {
  const command = program
    .command('doctor')
    .description(
      'find out why a plugin does not load or creates no client: evidence and advice, most likely cause first',
    )
    .argument('[plugin]', PLUGIN_ARGUMENT);
  withCreateOptions(command)
    .option(
      '--timeout <time>',
      'deadline for loading and client creation together (default: 60s for loading and 5m for a client, or what the manifest sets)',
      milliseconds,
    )
    .addOption(new Option('--binding <how>', 'how symbols are bound at load').choices(['now', 'lazy']).default('lazy'))
    .option('--no-fetch', 'never download a known plugin')
    .addOption(new Option('--format <format>', 'output format').choices(['text', 'json']).default('text'));
  withDevices(withHost(command));
  withConfig(command, environment)
    .addHelpText('after', helpOf('doctor'))
    .action(async (plugin: string | undefined, options: DoctorOptions) => {
      if (plugin === undefined) refuseMissing(command, "missing required argument 'plugin'", 'plugin');
      printConfigUse(options, environment);
      done(await withPlaces(options, () => doctor(plugin, options, environment)));
    });
}

/** Diagnoses and prints. @returns the exit code */
async function doctor(spec: string, options: DoctorOptions, environment: CommandEnvironment): Promise<number> {
  const [{ diagnose }, { formatDiagnosis }] = await Promise.all([
    import('../../commands/doctor/diagnose.ts'),
    import('../../commands/doctor/format.ts'),
  ]);
  const diagnosis = await diagnose(spec, options, environment, patientlyOn(environment.stderr));
  if (environment.signal.aborted) return exitCode('interrupted');
  environment.stdout.write(options.format === 'json' ? asJson(diagnosis) : formatDiagnosis(diagnosis));
  return diagnosis.exitCode;
}
