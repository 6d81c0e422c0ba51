import type { DocumentPath } from './located-yaml.ts';
import type { RawStep } from './raw.ts';

/** A step `run` as written: a program, data for its parameters, and what its results must be. */
export interface RunStep {
  run: string;
  /** Name of the executable. */
  as?: string;
  /** Data by name, in the order of the parameters; a reference to a list of arrays; `inputs`: those of the program. */
  with?: Record<string, unknown> | string;
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

/** A step, and the key of `run` that it comes from. */
interface Part {
  path: DocumentPath;
  step: RawStep;
}

/** What `with` says for the inputs of the program itself. */
export const PROGRAM_INPUTS = 'inputs';

/** Name of the executable, unless `as` gives another. */
export const EXECUTABLE = 'executable';

/** Name of the buffer on the device that belongs to an array on the host, or of the list of buffers. */
export const bufferOf = (array: string): string => `${array}_buffer`;

/**
 * The steps that a step `run` stands for, each with the key that it comes from.
 * @param isUsed whether a step of the case refers to a name: data that nothing else needs gets none
 */
export function stepsOfRun(step: RunStep, isUsed: (name: string) => boolean): Part[] {
  const { run: program, as = EXECUTABLE, options, compare, level, refusable, lazy, breaks } = step;
  const { steps, args } = argumentsOf(step, isUsed);
  const results = Object.entries(step.gives ?? {});
  const outputs = results.length === 0 ? undefined : results.map(([name]) => bufferOf(name));
  const parts = [
    ...steps,
    part(['run'], 'compile', { as, program, options }, { refusable }),
    part(['run'], 'execute', { executable: `$${as}`, args, as: outputs }, { refusable: lazy && refusable }),
    ...results.map(([name]) => part(['gives', name], 'get', { buffer: `$${bufferOf(name)}`, as: name })),
    ...results.flatMap(([name, equals]) =>
      equals === null ? [] : [part(['gives', name], 'expect', { actual: `$${name}`, equals, compare, level })],
    ),
  ];
  return breaks ? parts.map(({ path, step }) => ({ path, step: { ...step, breaks } })) : parts;
}

/** The steps that make the arguments, and the arguments. */
function argumentsOf(step: RunStep, isUsed: (name: string) => boolean): { steps: Part[]; args?: string[] | string } {
  if (typeof step.with === 'string') {
    const list = step.with.replace('$', '');
    const own = { path: ['with'], step: { program: step.run, as: { [list]: 'inputs' } } };
    const put = part(['with'], 'put', { as: bufferOf(list), data: `$${list}` });
    return { steps: step.with === PROGRAM_INPUTS ? [own, put] : [put], args: `$${bufferOf(list)}` };
  }
  const given = Object.entries(step.with ?? {});
  const steps = [
    ...given.flatMap(([name, data]) => (isUsed(name) ? [part(['with', name], 'data', { as: name, data })] : [])),
    ...given.map(([name, data]) =>
      part(['with', name], 'put', { as: bufferOf(name), data: isUsed(name) ? `$${name}` : data }),
    ),
  ];
  return given.length === 0 ? { steps } : { steps, args: given.map(([name]) => `$${bufferOf(name)}`) };
}

const part = (path: DocumentPath, verb: string, body: object, beside: object = {}): Part => ({
  path,
  step: defined({ [verb]: defined(body), ...beside }),
});

/** Without the keys that have no value. */
const defined = (keys: object): RawStep =>
  Object.fromEntries(Object.entries(keys).filter(([, value]) => value !== undefined));
