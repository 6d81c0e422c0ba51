import { Abi, NEWEST_MINOR, OLDEST_MINOR } from '../knowledge/abi/index.ts';
import type { PluginFacts } from '../model/plugin-facts.ts';

/**
 * Capability of a plugin: what was seen of one function of the C API. works · unimplemented (only ever returned
 * UNIMPLEMENTED) · fails (only other errors) · dies, hangs (it never worked, and a process ended in it) · unstable (a call
 * succeeded, and a process also ended in it) · null (NULL in the table) · absent (past the table, or newer than the plugin's
 * version) · untried (no case of the run called it).
 */
export type Ability =
  | 'works'
  | 'unstable'
  | 'unimplemented'
  | 'fails'
  | 'dies'
  | 'hangs'
  | 'null'
  | 'absent'
  | 'untried';

const TABLE_HEADER_BYTES = 40;

/** The capability matrix: every function of the newest known version, in table order. */
export function abilities(facts: PluginFacts): Map<string, Ability> {
  const { apiVersion, tableBytes, functions, answers } = facts;
  const matrix = new Map<string, Ability>();
  if (!apiVersion || !functions || tableBytes === undefined) return matrix;
  // Older plugins are not called, so nothing is known.
  if (apiVersion.minor < OLDEST_MINOR) return matrix;
  const own = Abi.at(Math.min(apiVersion.minor, NEWEST_MINOR));
  const nulls = new Set(functions.nullSlots);
  const end = TABLE_HEADER_BYTES + functions.inTable * 8;
  for (const name of Abi.at(NEWEST_MINOR).functions) {
    const offset = own.slotOffset(name);
    if (offset === undefined || offset + 8 > end) matrix.set(name, 'absent');
    else if (nulls.has(name)) matrix.set(name, 'null');
    else matrix.set(name, abilityOf(answers?.[name] ?? []));
  }
  return matrix;
}

/** A call of it succeeded. */
export const isWorking = (ability: string | undefined): ability is 'works' | 'unstable' =>
  ability === 'works' || ability === 'unstable';

/**
 * The meaning of all answers together: one success shows that a function works, however often it rightly refused; but the
 * function is unstable if a process also ended in it.
 */
export function abilityOf(answers: readonly string[]): Ability {
  if (answers.includes('OK'))
    return answers.some((answer) => answer === 'DEATH' || answer === 'HANG') ? 'unstable' : 'works';
  if (answers.includes('DEATH')) return 'dies';
  if (answers.includes('HANG')) return 'hangs';
  if (answers.length === 0) return 'untried';
  return answers.every((answer) => answer === 'UNIMPLEMENTED') ? 'unimplemented' : 'fails';
}
