import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import type { CommandEnvironment } from '../../base/environment.ts';
import { UsageError } from '../../base/usage-error.ts';
import { PluginError } from '../../host/plugins/plugin-error.ts';
import { configLine } from '../../report/console/header.ts';
import { SuiteError } from '../../suite/problem.ts';
import type { ConfigPlaces, ConfigUse } from './apply.ts';
import { CONFIG_NAME, findConfig } from './find.ts';

/** Options of commands that read the configuration file. */
export interface ConfigOptions {
  /** `--config FILE`, or false for `--no-config`. */
  config?: string | false;
  /** What was taken from the file, if there is one. */
  configUse?: ConfigUse;
  configPlaces?: ConfigPlaces;
}

/** Makes a command read its configuration file before it runs. */
export function withConfig(command: Command, environment: CommandEnvironment): Command {
  return command
    .optionsGroup('Configuration:')
    .option(
      '--config <file>',
      `read options from this file (default: ${CONFIG_NAME} in the working directory or a parent within the repository)`,
    )
    .option('--no-config', 'read no configuration file')
    .hook('preAction', async (_, acting) => {
      const { config } = acting.opts<ConfigOptions>();
      const file =
        config === false
          ? undefined
          : config === undefined
            ? findConfig(environment.cwd)
            : resolve(environment.cwd, config);
      if (file === undefined) return;
      // Loads the schema only if there is a file.
      const [{ applyConfig }, { readConfigFile }] = await Promise.all([import('./apply.ts'), import('./read.ts')]);
      const document = readConfigFile(file, environment.cwd);
      const { use, from } = applyConfig(acting, document, { directory: dirname(file), cwd: environment.cwd });
      acting.setOptionValue('configUse' satisfies keyof ConfigOptions, use);
      acting.setOptionValue('configPlaces' satisfies keyof ConfigOptions, from);
    });
}

/** Fails if neither the command line nor the file gives what the command needs. */
export function refuseMissing(command: Command, what: string, key: string): never {
  const { configUse } = command.opts<ConfigOptions>();
  const where = configUse
    ? `, and ${configUse.file} names none`
    : `; or \`${key}:\` in ${CONFIG_NAME}, which \`init\` writes`;
  return command.error(`error: ${what}${where}`);
}

/** Reports on stderr what was taken from the file, for commands with machine-readable output. */
export function printConfigUse(
  { configUse, quiet }: ConfigOptions & { quiet?: boolean },
  { stderr }: CommandEnvironment,
): void {
  const line = configLine(configUse);
  if (line !== undefined && !quiet) stderr.write(`${line}\n`);
}

/** Runs a command; adds to errors about an option, or about a path of one, the line of the file that set it. */
export async function withPlaces<T>({ configPlaces }: ConfigOptions, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (configPlaces && (error instanceof UsageError || error instanceof SuiteError || error instanceof PluginError)) {
      const { options, paths } = error;
      const lines = [...configPlaces].flatMap(([name, given]) => {
        if (options.includes(name)) return [`--${name} comes from ${given.place}`];
        const named = given.paths.filter((path) => paths.includes(path));
        return named.map((path) => `--${name} ${path} comes from ${given.place}`);
      });
      if (lines.length > 0) error.message += `\n${lines.join('\n')}`;
    }
    throw error;
  }
}
