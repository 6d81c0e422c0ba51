import { type Command, Option } from 'commander';
import { asJson } from '../../base/as-json.ts';
import type { CommandEnvironment } from '../../base/environment.ts';
import { cleanLine } from '../../base/sanitize.ts';
import type { InspectOptions } from '../../commands/inspect/inspect.ts';
import { exitCode } from '../../verdict/exit-codes.ts';
import { type ConfigOptions, printConfigUse, refuseMissing, withConfig, withPlaces } from '../config/option.ts';
import { patientlyOn } from '../patience.ts';
import { type Done, helpOf, milliseconds, PLUGIN_ARGUMENT, withDevices, withHost } from './options.ts';

interface Options extends InspectOptions, ConfigOptions {
  declare?: boolean;
  format: 'text' | 'json';
}

/** Adds `inspect`. */
export function addInspect(program: Command, environment: CommandEnvironment, done: Done): void {
  const command = program
    .command('inspect')
    .description('show what a plugin contains: file, libraries, symbols, API version, extensions, attributes')
    .argument('[plugin]', PLUGIN_ARGUMENT)
    .option(
      '--timeout <time>',
      'deadline for loading and initializing the plugin (10s); with --declare, for each step: loading, creating a client, a transfer, a compilation (2m, or what the manifest asks for)',
      milliseconds,
    )
    .option(
      '--declare',
      'create a client, find out what the plugin supports, and print a draft of `declares` for its manifest',
    )
    .option('--no-fetch', 'never download a known plugin')
    .addOption(new Option('--format <format>', 'output format').choices(['text', 'json']).default('text'));
  withDevices(withHost(command));
  withConfig(command, environment)
    .addHelpText('after', helpOf('inspect'))
    .action(async (plugin: string | undefined, options: Options) => {
      if (plugin === undefined) refuseMissing(command, "missing required argument 'plugin'", 'plugin');
      printConfigUse(options, environment);
      const print = options.declare ? printDeclaration : printInspection;
      done(await withPlaces(options, () => print(plugin, options, environment)));
    });
}

async function printInspection(spec: string, options: Options, environment: CommandEnvironment): Promise<number> {
  const [{ inspect }, { formatInspection }] = await Promise.all([
    import('../../commands/inspect/inspect.ts'),
    import('../../commands/inspect/format.ts'),
  ]);
  const inspection = await inspect(spec, options, environment, patientlyOn(environment.stderr));
  if (environment.signal.aborted) return exitCode('interrupted');
  environment.stdout.write(options.format === 'json' ? asJson(inspection) : formatInspection(inspection, new Date()));
  return inspection.loaded && !inspection.failure ? 0 : exitCode('unusable');
}

async function printDeclaration(spec: string, options: Options, environment: CommandEnvironment): Promise<number> {
  const { declare, formatDeclaration } = await import('../../commands/inspect/declare.ts');
  const { name, declared, failure } = await declare(spec, options, environment, patientlyOn(environment.stderr));
  if (environment.signal.aborted) return exitCode('interrupted');
  if (failure) {
    const code = failure.code === undefined ? '' : `${failure.code}: `;
    environment.stderr.write(
      `error: ${name} could not be tried (${failure.stage}): ${code}${cleanLine(failure.message)}\n` +
        '       a draft needs a client; `doctor` looks for the cause\n',
    );
    return exitCode('unusable');
  }
  environment.stdout.write(
    options.format === 'json' ? asJson({ declares: declared }) : formatDeclaration(name, declared),
  );
  return 0;
}
