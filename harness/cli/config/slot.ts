import type { Command, Option } from 'commander';
import { collect } from '../commands/options.ts';
import { CONFIG_KEYS } from './keys.ts';

/** Where a command takes the value of a key: one of its options or arguments. */
export interface Slot {
  /** Given on the command line. */
  given: boolean;
  value(): unknown;
  set(value: unknown): void;
  /** Parses one word, given the values before it. */
  parse?: ((word: string, previous: unknown) => unknown) | undefined;
}

/** The option with this name; `fetch` also means `--no-fetch`. */
export const optionOf = (command: Command, name: string): Option | undefined =>
  command.options.find((option) => option.long === `--${name}`) ??
  command.options.find((option) => option.long === `--no-${name}`);

/** Where a command takes this key; undefined if it does not read it. */
export function slotOf(command: Command, name: string): Slot | undefined {
  const { commands, as } = CONFIG_KEYS[name]!;
  if (commands && !commands.includes(command.name())) return undefined;
  const own = as?.[command.name()] ?? name;
  const option = optionOf(command, own);
  if (option) {
    const attribute = option.attributeName();
    return {
      given: command.getOptionValueSource(attribute) === 'cli',
      value: () => command.getOptionValue(attribute) as unknown,
      set: (value) => command.setOptionValueWithSource(attribute, value, 'config'),
      parse: option.parseArg as Slot['parse'],
    };
  }
  const index = command.registeredArguments.findIndex((argument) => argument.name() === own);
  if (index === -1) return undefined;
  return {
    given: command.args.length > index,
    value: () => command.processedArgs[index] as unknown,
    set: (value) => {
      command.processedArgs[index] = value;
    },
    parse: command.registeredArguments[index]!.variadic ? (collect as Slot['parse']) : undefined,
  };
}
