import { Abi, EXTENSIONS, extensionFunctions, type Field, NEWEST_MINOR } from '../abi/index.ts';
import { DTYPES } from '../numerics/dtypes.ts';
import { ORACLES } from '../numerics/oracles.ts';
import { PROBE_NAMES } from '../probes/names.ts';
import { programNames } from '../programs/programs.ts';
import type { FieldWords, Vocabulary } from '../suite/vocabulary.ts';

/** All names that suites may use, from the tables that define them. */
export function vocabulary(): Vocabulary {
  const abi = Abi.at(NEWEST_MINOR);
  return {
    functions: new Map(
      [
        ...abi.functions.map((fn) => [fn, abi.argsOf(fn)] as const),
        ...[...extensionFunctions()].map(([fn, { args }]) => [fn, args()] as const),
      ].map(([fn, args]) => [fn, new Map(args.fields.map((field) => [field.name, wordsOf(abi, field)]))]),
    ),
    extensions: new Set([...EXTENSIONS.values()].map((e) => e.name)),
    dtypes: new Set(DTYPES.map((d) => d.name)),
    probes: new Set(Object.keys(PROBE_NAMES)),
    programs: new Set(programNames()),
    oracles: new Set(Object.keys(ORACLES)),
  };
}

function wordsOf(abi: Abi, { type }: Field): FieldWords {
  if (type === 'bool') return 'bool';
  if (!abi.enumTypes.includes(type)) return undefined;
  return new Map([...abi.enumValues(type)].map(([name, value]) => [value, name.slice(`${type}_`.length)]));
}
