/** Options of commands about one plugin. */
import type { Command } from 'commander';
import { refuseMissing } from '../config/option.ts';
import { collect } from './options.ts';

/** Options of a command about one plugin. @param role what the plugin is to the command, at the beginning of a sentence */
export function withOnePlugin(command: Command, role = ''): Command {
  command.option('--plugin <plugin>', `${role}path of a shared library, a known name, or a manifest`);
  return withResolution(withCreateOptions(command));
}

/** The plugin of a command that has {@link withOnePlugin}; the configuration file may name several. */
export function onePlugin(command: Command, { plugin }: { plugin?: string | string[] }): string {
  const first = Array.isArray(plugin) ? plugin[0] : plugin;
  return first ?? refuseMissing(command, "required option '--plugin <plugin>' not specified", 'plugin');
}

/** What a client of the plugin is created with. */
export const withCreateOptions = (command: Command): Command =>
  command.option('--option <name=value>', 'create option for the plugin (repeatable)', collect);

/** What may be done to have a plugin that is not there. */
export const withResolution = (command: Command): Command =>
  command
    .option('--no-fetch', 'never download a known plugin')
    .option(
      '--allow-build',
      'build or download what a manifest of your own names, which may run any program; known plugins may without',
    );
