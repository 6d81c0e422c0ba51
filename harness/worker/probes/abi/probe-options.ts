import type { CaseContext } from '../../steps/context.ts';
import { textOption } from '../support/checks.ts';

/** The option `function`: a function of the C API. */
export function functionOption(context: CaseContext, options: Readonly<Record<string, unknown>>): string {
  const name = textOption(options, 'function');
  // Throws for a name that does not exist; whether the plugin has it is found out by calling.
  context.api.abi.slotOffset(name);
  return name;
}
