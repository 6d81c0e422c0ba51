import type { Argument, Command, Option } from 'commander';
import type { CommandEnvironment } from '../../base/environment.ts';
import { type Candidates, candidatesFor } from './candidates.ts';

const HELP: Candidates = { values: [['--help', 'display help for command']] };

/**
 * Completions of the last word of a command line.
 * @param words the words after the program name; the last one is being typed, and may be empty
 */
export async function complete(
  program: Command,
  words: readonly string[],
  environment: CommandEnvironment,
): Promise<Candidates> {
  const candidates = (slot: Option | Argument): Promise<Candidates> => candidatesOf(command, slot, environment);
  const current = words.at(-1) ?? '';
  const named = program.commands.find((command) => command.name() === words[0] && words.length > 1);
  const command = named ?? program.commands.find((candidate) => candidate.name() === 'run')!;
  const before = words.slice(named ? 1 : 0, -1);
  const { waiting, operands } = readWords(command, before);
  const typed = /^(--[^=]+)=(.*)$/s.exec(current);
  if (waiting) return matching(current, await candidates(waiting));
  if (typed) {
    const option = optionNamed(command, typed[1]!);
    return option?.required ? matching(typed[2]!, await candidates(option)) : { values: [] };
  }
  if (current.startsWith('-')) return matching(current, optionsOf(command));
  if (words.length === 1) return matching(current, commandsOf(program));
  const argument = command.registeredArguments[operands] ?? command.registeredArguments.findLast((a) => a.variadic);
  return argument ? matching(current, await candidates(argument)) : { values: [] };
}

/** The option whose value comes next, and the number of operands so far. */
function readWords(command: Command, words: readonly string[]): { waiting: Option | undefined; operands: number } {
  let waiting: Option | undefined;
  let operands = 0;
  for (const word of words) {
    if (waiting) waiting = undefined;
    else if (word.startsWith('-')) {
      const option = optionNamed(command, word);
      waiting = option?.required ? option : undefined;
    } else operands++;
  }
  return { waiting, operands };
}

const optionNamed = (command: Command, flag: string): Option | undefined =>
  command.options.find(({ long, short }) => long === flag || short === flag);

const firstSentence = (text: string): string => text.split(/[;:(]/, 1)[0]!.trim();

const optionsOf = (command: Command): Candidates => ({
  values: [
    ...command.options
      .filter((option) => !option.hidden)
      .map(({ long, description }): [string, string] => [long ?? '', firstSentence(description)]),
    ...HELP.values,
  ],
});

const commandsOf = (program: Command): Candidates => ({
  values: program
    .createHelp()
    .visibleCommands(program)
    .map((command) => [command.name(), firstSentence(command.description())]),
});

/** An option's choices, else candidates by its name or by its placeholder: `<file>`, `<plugin>`. */
async function candidatesOf(
  command: Command,
  slot: Option | Argument,
  environment: CommandEnvironment,
): Promise<Candidates> {
  if (slot.argChoices) return { values: slot.argChoices.map((choice) => [choice, '']) };
  const kind = 'flags' in slot ? /<([a-z-]+)/.exec(slot.flags)?.[1] : slot.name();
  return candidatesFor(command.name(), slot.name(), kind ?? '', environment);
}

const matching = (typed: string, { values, files }: Candidates): Candidates => ({
  values: values.filter(([value]) => value.startsWith(typed)),
  files,
});
