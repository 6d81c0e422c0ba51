import { declaration, type Feature, programDeclaration } from '../../host/plugins/declared.ts';
import { programNeeds } from '../../knowledge/programs/program-needs.ts';
import { loadProgram } from '../../knowledge/programs/programs.ts';
import type { CaseContext } from './context.ts';
import { CheckFailure, isRefusal } from './outcome.ts';

const promises = (context: CaseContext) => context.subjects[0]!.setup.declares;

/**
 * Something is refused or absent, which is allowed unless the manifest declares it.
 * @param refusal how it is refused, in words
 * @throws CheckFailure where the plugin's manifest declares it
 */
export function demandDeclared(context: CaseContext, feature: Feature, refusal: string): void {
  const promise = declaration(promises(context), feature);
  if (promise !== undefined) throw violated(refusal, promise);
}

/** Compiles a committed program. @throws CheckFailure when it is refused though the manifest declares all that is in it */
export function compileDeclared<T>(context: CaseContext, program: string | undefined, compile: () => T): T {
  try {
    return compile();
  } catch (error) {
    if (!isRefusal(error) || program === undefined) throw error;
    const promise = programDeclaration(promises(context), programNeeds(loadProgram(program)));
    if (promise === undefined) throw error;
    throw violated(`${error.call} refuses ${program} with ${error.codeName}`, promise, error.text);
  }
}

const violated = (refusal: string, promise: string, text?: string): CheckFailure =>
  new CheckFailure({
    type: 'pjrt.BrokenDeclaration',
    // A promise of the vendor, whatever the case is about.
    level: 'must',
    message: `${refusal}, but ${promise}`,
    ...(text ? { detail: `message: ${text}` } : {}),
  });
