import type { Command } from 'commander';
import { commandLine } from './description.ts';

/** A term with its meaning: an option, an argument, an exit code. */
export interface Row {
  term: string;
  meaning: string;
}

/** What the help of a command says, as data. */
export interface DescribedCommand {
  /** Empty for the program itself. */
  name: string;
  /** What is typed after the name of the tool. */
  usage: string;
  description: string;
  arguments: Row[];
  options: { title: string; rows: Row[] }[];
  /** Text after the options: paragraphs, and lines that keep their form. */
  notes: { text: string; asTyped: boolean }[];
  examples: { line: string; comment?: string }[];
  exitCodes: Row[];
}

/** The program, and then its commands in the order of the help. */
export function describedCommands(): DescribedCommand[] {
  const program = commandLine();
  return [program, ...program.createHelp().visibleCommands(program)].map((command) =>
    describe(command, command === program ? '' : command.name()),
  );
}

function describe(command: Command, name: string): DescribedCommand {
  const help = command.createHelp();
  const groups = help.groupItems(
    [...command.options],
    help.visibleOptions(command),
    (option) => option.helpGroupHeading ?? 'Options:',
  );
  const blocks = textAfterOptions(command)
    .trim()
    .split(/\n{2,}/);
  const section = (title: string): string[] => {
    const block = blocks.find((text) => text.startsWith(`${title}:\n`));
    return block === undefined ? [] : block.split('\n').slice(1);
  };
  return {
    name,
    usage: help.commandUsage(command).split(' ').slice(1).join(' '),
    description: help.commandDescription(command),
    arguments: help
      .visibleArguments(command)
      .map((one) => ({ term: help.argumentTerm(one), meaning: help.argumentDescription(one) })),
    options: [...groups].map(([title, options]) => ({
      title: title.replace(/:$/, ''),
      rows: options.map((one) => ({ term: help.optionTerm(one), meaning: help.optionDescription(one) })),
    })),
    notes: blocks.filter((text) => text !== '' && !/^(?:Examples|Exit codes):\n/.test(text)).flatMap(partsOf),
    examples: section('Examples').map(exampleOf),
    exitCodes: section('Exit codes').map((line) => {
      const [, term = '', meaning = ''] = /^\s*(\d+)\s+(.*)$/.exec(line) ?? [];
      return { term, meaning };
    }),
  };
}

/** Of the overview, which is written as a whole, the examples. */
function textAfterOptions(command: Command): string {
  if (!command.parent) return /^Examples:\n(?: .*\n)+/m.exec(command.helpInformation())![0];
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text.slice(command.helpInformation().length);
}

/** A block of a help text: its first lines are a paragraph, indented ones after them keep their form. */
function partsOf(block: string): DescribedCommand['notes'] {
  const lines = block.split('\n');
  const indented = lines.findIndex((line) => line.startsWith('  '));
  const [paragraph, typed] = indented < 0 ? [lines, []] : [lines.slice(0, indented), lines.slice(indented)];
  return [
    { text: paragraph.join(' '), asTyped: false },
    { text: typed.map((line) => line.slice(2)).join('\n'), asTyped: true },
  ].filter(({ text }) => text !== '');
}

function exampleOf(text: string): DescribedCommand['examples'][number] {
  const [, line = '', comment] = /^\s*\$ (.*?)(?:\s+# (.*))?$/.exec(text) ?? [];
  return { line, comment };
}
