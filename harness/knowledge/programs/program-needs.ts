import { elementType } from './element-type.ts';
import type { Program, ProgramNeeds } from './program.ts';

/** Operations; `#stablehlo.…` are attributes, `!stablehlo.…` types, and `stablehlo.… =` is the name of an attribute. */
const OP = /(?<![#!@\w])stablehlo\.(\w+)(?!\w|\s*=)/g;
const TENSOR = /tensor<(?:(?:\d+|\?)x)*(\w+(?:<\w+>)?)>/g;
/** Attributes, such as the groups of a collective: none of the program's arrays has their type. */
const ATTRIBUTE = /=\s*dense<[^>]*>\s*:\s*tensor<[^>]*>/g;
const UNKNOWN_SIZE = /tensor<(?:\d+x)*[?*]/;
/** Only attributes, such as layouts, have elements of this type. */
const INDEX = 'index';
/** Structural operations, which no compiler lacks. */
const STRUCTURE: ReadonlySet<string> = new Set(['return']);

const known = new Map<string, ProgramNeeds>();

/** From the text of a program, or from its artifact. An invalid program needs nothing, because nothing has to compile it. */
export function programNeeds(program: Program): ProgramNeeds {
  if (program.bad) return { ops: [], dtypes: [] };
  if (program.needs) return program.needs;
  const found = known.get(program.name) ?? needsOfText(program.text());
  known.set(program.name, found);
  return found;
}

/** What a group of a pattern matches. One by one: a program may have millions of operations. */
function wordsOf(text: string, pattern: RegExp): Set<string> {
  const words = new Set<string>();
  for (const [, word] of text.matchAll(pattern)) words.add(word!);
  return words;
}

/** The same for any StableHLO text. */
export function needsOfText(text: string): ProgramNeeds {
  const code = text.replace(/\/\/.*$/gm, '');
  const ops = [...wordsOf(code, OP)].filter((name) => !STRUCTURE.has(name));
  const dtypes = [...wordsOf(code.replace(ATTRIBUTE, ''), TENSOR)].filter((type) => type !== INDEX);
  return {
    ops: ops.sort(),
    dtypes: [...new Set(dtypes.map(elementType))].sort(),
    ...(UNKNOWN_SIZE.test(code) ? { dynamic: true } : {}),
  };
}
