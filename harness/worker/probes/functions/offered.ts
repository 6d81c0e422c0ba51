import { extensionFunctions, type FunctionKind, isExtensionFunction, kindsOf } from '../../../knowledge/abi/index.ts';
import { isAboutPlugin } from '../../pjrt/errors.ts';
import type { CaseContext } from '../../steps/context.ts';
import { EXTENSION_CALLS } from '../../steps/extension-calls.ts';
import { argsOf } from '../../steps/named-call.ts';
import { CheckFailure, NotSupported } from '../../steps/outcome.ts';
import { VALID_CALLS } from '../../steps/valid-calls.ts';

/** What cannot be had from a plugin has cases of its own. */
const isElsewhere = (error: unknown): boolean =>
  error instanceof NotSupported || error instanceof CheckFailure || isAboutPlugin(error);

/** Runs something; undefined where the plugin does not have it. */
export function tryOut<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (isElsewhere(error)) return undefined;
    throw error;
  }
}

/**
 * The functions of a kind that have valid calls, of the API table and of extensions, in the order of the tables.
 * @param except those that a check leaves out, each with the reason
 */
export function functionsOf(
  { api }: CaseContext,
  kind: FunctionKind | 'any',
  except: Readonly<Record<string, string>>,
) {
  const ofTable = api.abi.functions.filter((name) => VALID_CALLS[name] && api.has(name));
  const ofExtensions = [...extensionFunctions().keys()].filter((name) => EXTENSION_CALLS[name]);
  return [...ofTable, ...ofExtensions].filter(
    (name) => except[name] === undefined && (kind === 'any' || kindsOf(argsOf(api, name)).has(kind)),
  );
}

/** Whether each valid call of a function makes a new subject. */
export const hasFreshSubject = (name: string): boolean =>
  JSON.stringify((isExtensionFunction(name) ? EXTENSION_CALLS : VALID_CALLS)[name]!.with).includes('$fresh_');
