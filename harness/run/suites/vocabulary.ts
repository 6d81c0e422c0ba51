import { accessSync, constants, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Abi, EXTENSIONS, extensionFunctions, NEWEST_MINOR } from '../../knowledge/abi/index.ts';
import { valueTypesOf } from '../../knowledge/abi/value-type.ts';
import { DTYPES } from '../../knowledge/numerics/dtypes.ts';
import { ORACLES } from '../../knowledge/numerics/oracles.ts';
import { programMembers, programNames } from '../../knowledge/programs/programs.ts';
import { PROBES } from '../../suite/probe-description.ts';
import type { Vocabulary } from '../../suite/vocabulary.ts';

/** All names that suites may use, from the tables that define them. @param cwd base of the paths of suites */
export function vocabulary(cwd = ''): Vocabulary {
  const abi = Abi.at(NEWEST_MINOR);
  return {
    functions: new Map(
      [
        ...abi.functions.map((fn) => [fn, abi.argsOf(fn)] as const),
        ...[...extensionFunctions()].map(([fn, { args }]) => [fn, args()] as const),
      ].map(([fn, args]) => [fn, valueTypesOf(abi, args)]),
    ),
    structs: new Map(abi.structNames.map((name) => [name, valueTypesOf(abi, abi.struct(name))])),
    extensions: new Set([...EXTENSIONS.values()].map((e) => e.name)),
    dtypes: new Set(DTYPES.map((d) => d.name)),
    probes: PROBES,
    programs: new Set(programNames()),
    members: programMembers(),
    oracles: new Set(Object.keys(ORACLES)),
    unreadable: (suite, path) => unreadable(resolve(cwd, dirname(suite), path)),
  };
}

function unreadable(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK);
    return statSync(path).isFile() ? undefined : `${path} is not a file`;
  } catch {
    return `there is no file ${path} that can be read`;
  }
}
