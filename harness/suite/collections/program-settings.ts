/** NAME.yaml beside a program: how its results are compared, and how it is compiled. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseYaml } from '../located-yaml.ts';
import type { SuiteProblem } from '../problem.ts';
import { checkSchema, validator } from '../schema-check.ts';
import type { Compare, CompileOptions, Requires } from '../types.ts';

/** Shapes of the pieces of parameters and results. */
export interface PieceShapes {
  inputs: number[][];
  outputs: number[][];
}

/** What such a file says; everything has a default. */
export interface ProgramSettings {
  /** One comparison for all results, or one for each. Default: the bound `program` of the run's accuracy profile. */
  compare?: Compare | Compare[];
  options?: CompileOptions;
  requires?: Requires;
  /** What each device has of the arrays, instead of what the program's shardings say. */
  pieces?: PieceShapes;
  /** Changes generated inputs. */
  seed?: number;
}

/** Reads the file, if there is one. */
export function programSettings(file: string | undefined, cwd: string, problems: SuiteProblem[]): ProgramSettings {
  if (file === undefined) return {};
  const document = parseYaml(readFileSync(resolve(cwd, file), 'utf8'), file);
  // The schema of suites, whose parts the file consists of, is known from here on.
  validator('suite.schema.json', '', true);
  const found = [...document.problems, ...checkSchema(validator('program.schema.json', '', true), document)];
  problems.push(...found);
  return found.length > 0 ? {} : (document.value as ProgramSettings);
}
