import type { DocumentPath } from './located-yaml.ts';
import type { RawStep } from './raw.ts';

/** A step `run` as written: a program, data for its parameters, and what its results must be. */
export interface RunStep {
  run: string;
  /** Name of the executable. */
  as?: string;
  /** Data by name, in the order of the parameters. */
  with?: Record<string, unknown>;
  /** What each output must be, by name, in order; null: it is only read. */
  gives?: Record<string, unknown>;
  compare?: unknown;
  level?: string;
  options?: object;
  refusable?: string;
  /** Whether a plugin may also refuse the program when it runs. */
  lazy?: true;
  breaks?: string[];
}

/** Name of the executable, unless `as` gives another. */
export const EXECUTABLE = 'executable';

/** Name of the buffer on the device that belongs to an array on the host. */
export const bufferOf = (array: string): string => `${array}_buffer`;

/**
 * The steps that a step `run` stands for, each with the key that it comes from.
 * @param isUsed whether a step of the case refers to a name: data that nothing else needs gets none
 */
export function stepsOfRun(step: RunStep, isUsed: (name: string) => boolean): { path: DocumentPath; step: RawStep }[] {
  const { run: program, as = EXECUTABLE, options, compare, level, refusable, lazy, breaks } = step;
  const given = Object.entries(step.with ?? {});
  const results = Object.entries(step.gives ?? {});
  const args = given.length === 0 ? undefined : given.map(([name]) => `$${bufferOf(name)}`);
  const outputs = results.length === 0 ? undefined : results.map(([name]) => bufferOf(name));
  const make = (path: DocumentPath, verb: string, body: object, beside: object = {}) => ({
    path,
    step: defined({ [verb]: defined(body), ...beside, breaks }),
  });
  return [
    ...given.flatMap(([name, data]) => (isUsed(name) ? [make(['with', name], 'data', { as: name, data })] : [])),
    ...given.map(([name, data]) =>
      make(['with', name], 'put', { as: bufferOf(name), data: isUsed(name) ? `$${name}` : data }),
    ),
    make(['run'], 'compile', { as, program, options }, { refusable }),
    make(['run'], 'execute', { executable: `$${as}`, args, as: outputs }, { refusable: lazy && refusable }),
    ...results.map(([name]) => make(['gives', name], 'get', { buffer: `$${bufferOf(name)}`, as: name })),
    ...results.flatMap(([name, equals]) =>
      equals === null ? [] : [make(['gives', name], 'expect', { actual: `$${name}`, equals, compare, level })],
    ),
  ];
}

/** Without the keys that have no value. */
const defined = (keys: object): RawStep =>
  Object.fromEntries(Object.entries(keys).filter(([, value]) => value !== undefined));
