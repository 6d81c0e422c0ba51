import type { Command } from 'commander';
import { didYouMean } from '../../base/did-you-mean.ts';
import type { CommandEnvironment } from '../../base/environment.ts';
import { textTable } from '../../base/text-table.ts';
import { UsageError } from '../../base/usage-error.ts';
import { asDeadline, CONFIG_KEYS } from '../config/keys.ts';
import { optionOf } from '../config/slot.ts';
import { exitCodeHelp, helpOf } from './options.ts';

const TOPICS: Readonly<Record<string, { about: string; text: (program: Command) => string }>> = {
  topics: { about: 'this list', text: () => topicList() },
  commands: { about: 'all commands', text: (program) => commandList(program) },
  config: { about: 'the keys of pjrt-conformance.yaml', text: (program) => configHelp(program) },
  'exit-codes': { about: 'the exit codes of a run', text: () => exitCodeHelp().trimStart() },
};

const topicList = (): string =>
  `Topics:\n${textTable(
    Object.entries(TOPICS).map(([name, { about }]) => [`help ${name}`, about]),
    { indent: '  ' },
  ).join('\n')}\n`;

/** The commands by what they are for. */
export const FAMILIES: Readonly<Record<string, readonly string[]>> = {
  'Test a plugin': ['run', 'programs', 'replay', 'corpus', 'fuzz', 'explore', 'coexist', 'reduce', 'export'],
  'Look at a plugin': ['inspect', 'doctor', 'compat', 'discover'],
  'Record a framework': ['record', 'trace'],
  'After a run': ['report', 'open', 'compare', 'trend', 'bundle', 'verify', 'results'],
  'Cases and suites': ['list', 'validate', 'coverage'],
  'Setting up': ['init', 'completion', 'help'],
};

function commandList({ commands }: Command): string {
  const about = (name: string): string => commands.find((command) => command.name() === name)?.description() ?? '';
  return Object.entries(FAMILIES)
    .map(
      ([family, names]) =>
        `${family}:\n${textTable(
          names.map((name) => [name, about(name)]),
          { indent: '  ' },
        ).join('\n')}\n`,
    )
    .join('\n');
}

/** The keys with their options, whose meaning is in the help of the commands. */
const configHelp = (program: Command): string =>
  [
    'pjrt-conformance.yaml, in the working directory or a parent within the repository, holds options that all runs share.',
    'The command line overrides it; paths are relative to the file. `init` writes one with comments; see docs/config.md.',
    '',
    ...textTable([
      ['Key', 'Option (see run --help)'],
      ...Object.entries(CONFIG_KEYS).map(([name, { key }]) => [`  ${key}`, asDeadline(name) ?? formOf(program, name)]),
    ]),
    '',
  ].join('\n');

/** `--fetch` or `--no-fetch`, whichever a command has. */
const formOf = (program: Command, name: string): string =>
  program.commands.map((command) => optionOf(command, name)?.long).find((long) => long != null) ?? `--${name}`;

/** Adds `help [about]`: the overview, a command, or a topic. */
export function addHelp(program: Command, environment: CommandEnvironment): void {
  program
    .helpCommand(false)
    .command('help')
    .description('show help on a command, or on a topic (help topics)')
    .argument('[about]', 'a command or a topic')
    .addHelpText('after', helpOf('help'))
    .action((about: string | undefined) => {
      const command = about === undefined ? program : program.commands.find((candidate) => candidate.name() === about);
      const topic = about !== undefined && Object.hasOwn(TOPICS, about) ? TOPICS[about] : undefined;
      if (command) command.outputHelp();
      else if (topic) environment.stdout.write(topic.text(program));
      else {
        const hint = didYouMean(about!, [
          ...program.commands.map((candidate) => candidate.name()),
          ...Object.keys(TOPICS),
        ]);
        throw new UsageError(
          `help ${about}: there is no such command or topic; ${hint ?? '`help topics` lists the topics'}`,
        );
      }
    });
}
