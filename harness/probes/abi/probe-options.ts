import type { CaseContext } from '../../steps/context.ts';
import { SuiteFault } from '../../steps/outcome.ts';

type Options = Readonly<Record<string, unknown>>;

/** The option `function`: a function of the C API. */
export function functionOption(context: CaseContext, options: Options): string {
  const name = textOption(options, 'function');
  // Throws for a name that does not exist; whether the plugin has it is found out by calling.
  context.api.abi.slotOffset(name);
  return name;
}

/** A text that must be there. */
export function textOption(options: Options, key: string): string {
  const value = options[key];
  if (typeof value !== 'string') throw new SuiteFault(`the probe needs the option ${key}`);
  return value;
}

/** One of a few words that must be there. */
export function wordOption<T extends string>(options: Options, key: string, words: readonly T[]): T {
  const value = textOption(options, key) as T;
  if (!words.includes(value)) {
    throw new SuiteFault(`the option ${key} is ${JSON.stringify(value)}, expected one of ${words.join(', ')}`);
  }
  return value;
}

/** A number, or its default. */
export function numberOption(options: Options, key: string, otherwise: number): number {
  const value = options[key] ?? otherwise;
  if (typeof value !== 'number') throw new SuiteFault(`the option ${key} is no number`);
  return value;
}
