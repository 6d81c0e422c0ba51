import { type Command, Option } from 'commander';
import { asJson } from '../../base/as-json.ts';
import type { CommandEnvironment } from '../../base/environment.ts';
import type { ExportOptions } from '../../commands/export/export-case.ts';
import { type ExitCode, exitCode } from '../../verdict/exit-codes.ts';
import { type ConfigOptions, printConfigUse, withConfig, withPlaces } from '../config/option.ts';
import { onePlugin, withOnePlugin } from './one-plugin.ts';
import { collect, type Done, helpOf, withDeadlines, withDevices } from './options.ts';

/** Parsed options of `export`. */
interface Options extends Omit<ExportOptions, 'plugin'>, ConfigOptions {
  plugin?: string | string[];
  format: 'text' | 'json';
}

/** Adds `export`. */
export function addExport(program: Command, environment: CommandEnvironment, done: Done): void {
  const command = program
    .command('export')
    .description('write a case as a C program that makes the same calls, and fails in the same way')
    .argument('<case>', 'id of the case');
  withOnePlugin(command)
    .option('--suites <path>', 'file or directory with additional suites (repeatable)', collect)
    .option('--programs <dir>', 'directory of programs, one of which the case is, such as `programs:softmax`')
    .option('--trace <trace>', 'recording, as for `replay`, one of whose sessions the case is, such as `replay:pid-42`')
    .option('-o, --output <dir>', 'directory of the program', 'repro')
    .addOption(new Option('--format <format>', 'output format').choices(['text', 'json']).default('text'));
  withDeadlines(command);
  withDevices(command);
  withConfig(command, environment)
    .addHelpText('after', helpOf('export'))
    .action(async (id: string, options: Options) => {
      const plugin = onePlugin(command, options);
      printConfigUse(options, environment);
      done(await withPlaces(options, () => exporting(id, { ...options, plugin }, environment)));
    });
}

async function exporting(
  id: string,
  options: Options & { plugin: string },
  environment: CommandEnvironment,
): Promise<ExitCode> {
  const [{ exportCase }, { formatExported }] = await Promise.all([
    import('../../commands/export/export-case.ts'),
    import('../../commands/export/format.ts'),
  ]);
  const exported = await exportCase(id, options, environment);
  environment.stdout.write(options.format === 'json' ? asJson(exported) : formatExported(exported, environment.cwd));
  return exported.files.length > 0 ? exitCode('passes') : exitCode('fails');
}
