import { didYouMean } from '../base/did-you-mean.ts';
import type { ValueType } from '../knowledge/abi/value-type.ts';
import { encode } from '../knowledge/numerics/codec.ts';
import type { Scalar } from '../knowledge/numerics/data.ts';
import { DTYPES, type DType } from '../knowledge/numerics/dtypes.ts';
import { parseBits } from '../knowledge/numerics/generate.ts';
import type { DocumentPath, LocatedYaml } from './located-yaml.ts';
import { isOfType, type ProbeDescription, typeText } from './probe-description.ts';
import { type SuiteProblem, show } from './problem.ts';
import { type RawStep, verbsOf } from './raw.ts';
import { REPLACED_PROBES } from './replaced.ts';
import type { Requires } from './types.ts';

/** Names that suites may use, as far as the caller knows them; missing kinds are not checked. */
export interface Vocabulary {
  /** C functions, and what the fields of their args structs hold. */
  functions?: ReadonlyMap<string, ReadonlyMap<string, ValueType>>;
  /** The fields of structs that arguments lead to. */
  structs?: ReadonlyMap<string, ReadonlyMap<string, ValueType>>;
  extensions?: ReadonlySet<string>;
  dtypes?: ReadonlySet<string>;
  probes?: ReadonlyMap<string, ProbeDescription>;
  programs?: ReadonlySet<string>;
  /** The programs of which a program consists, in their order. */
  members?: ReadonlyMap<string, readonly string[]>;
  oracles?: ReadonlySet<string>;
  /** What is wrong with a file that a suite names; undefined if it can be read. */
  unreadable?(suite: string, path: string): string | undefined;
}

/** The suffixes of programs of the user; names of committed programs have none. */
const PROGRAM_FILE = /\.mlir(bc|\.bc)?$/;

/** Checks the names in a step after substitution. */
export function checkStepVocabulary(
  step: RawStep,
  vocabulary: Vocabulary,
  document: LocatedYaml,
  path: DocumentPath,
): SuiteProblem[] {
  const { problems, known } = checker(document);
  const verb = verbsOf(step)[0];
  if (verb === 'call') {
    const name = String(step.call);
    known('function', name, vocabulary.functions, [...path, 'call']);
    const fields = vocabulary.functions?.get(name);
    if (fields) {
      const field = (value: string, at: DocumentPath, onKey = false): void =>
        known(`field of ${name}`, value, fields, at, onKey);
      for (const given of ['with', 'each'])
        for (const key of Object.keys((step[given] ?? {}) as object)) field(key, [...path, given, key], true);
      for (const key of Object.keys((step.expect ?? {}) as object)) field(key, [...path, 'expect', key], true);
      for (const [key, value] of Object.entries((step.as ?? {}) as Record<string, string>))
        field(value, [...path, 'as', key]);
      for (const [i, value] of ((step.untouched ?? []) as string[]).entries()) field(value, [...path, 'untouched', i]);
    }
  }
  if (verb === 'valid-call') known('function', String(step[verb]), vocabulary.functions, [...path, verb]);
  if (verb === 'soak') known('function', String(step.blames), vocabulary.functions, [...path, 'blames']);
  const program = (name: string, at: DocumentPath): void => {
    if (PROGRAM_FILE.test(name)) file(name, at);
    else known('program', name, vocabulary.programs, at);
  };
  const file = (name: string, at: DocumentPath): void => {
    const message = vocabulary.unreadable?.(document.file, name);
    if (message !== undefined) problems.push(document.problem(at, message));
  };
  if (verb === 'probe') {
    const name = String(step.probe);
    known('probe', name, vocabulary.probes, [...path, 'probe']);
    const probe = vocabulary.probes?.get(name);
    if (probe)
      problems.push(
        ...checkOptions(name, probe, (step.with ?? {}) as object, { ...vocabulary, program }, document, path),
      );
  }
  const body = verb === undefined ? undefined : (step[verb] as Record<string, unknown>);
  const data = (given: unknown, at: DocumentPath): void => {
    if (typeof given !== 'object' || given === null) return;
    if (isFile(given)) file(given.file.path, [...at, 'file', 'path']);
    for (const [kind, options] of Object.entries(given as Record<string, Record<string, unknown>>)) {
      if (options.dtype !== undefined)
        known('element type', String(options.dtype), vocabulary.dtypes, [...at, kind, 'dtype']);
      if (kind === 'oracle') known('oracle', String(options.op), vocabulary.oracles, [...at, kind, 'op']);
      problems.push(
        ...checkCount(kind, options, document, [...at, kind]),
        ...checkElementValues(kind, options, document, [...at, kind]),
      );
    }
  };
  if (verb === 'program') program(String(step.program), [...path, 'program']);
  if (verb === 'compile' && body?.program !== undefined) program(String(body.program), [...path, 'compile', 'program']);
  if (verb === 'run') {
    program(String(step.run), [...path, 'run']);
    for (const key of ['with', 'gives'])
      for (const [name, given] of Object.entries(Object(step[key]))) data(given, [...path, key, name]);
  }
  if (verb === 'put' || verb === 'data') data(body?.data, [...path, verb, 'data']);
  if (verb === 'get') data(body?.equals, [...path, verb, 'equals']);
  if (verb === 'expect' && isFile(body?.equals)) data(body.equals, [...path, 'expect', 'equals']);
  return problems;
}

/** Checks what a step gives a probe. */
function checkOptions(
  name: string,
  { with: takes }: ProbeDescription,
  given: object,
  vocabulary: Vocabulary & { program(name: string, at: DocumentPath): void },
  document: LocatedYaml,
  path: DocumentPath,
): SuiteProblem[] {
  const { problems, known } = checker(document);
  const options = new Map(Object.entries(takes));
  for (const [option, { optional }] of options) {
    if (optional || option in given) continue;
    const expected = typeText(takes[option]!.is);
    problems.push(document.problem(path, `${name} needs the option ${option}`, { expected }));
  }
  for (const [option, value] of Object.entries(given)) {
    const at = [...path, 'with', option];
    known(`option of ${name}`, option, options, at, true);
    const is = options.get(option)?.is;
    if (is === undefined) continue;
    if (!isOfType(is, value)) {
      const said = { expected: typeText(is), got: show(value) };
      problems.push(document.problem(at, `wrong value for ${option} of ${name}`, said));
    } else if (is === 'function') known('function', String(value), vocabulary.functions, at);
    else if (is === 'program') vocabulary.program(String(value), at);
    else if (is === 'element type') known('element type', String(value), vocabulary.dtypes, at);
  }
  return problems;
}

const isFile = (data: unknown): data is { file: { path: string } } =>
  typeof data === 'object' && data !== null && 'file' in data;

/** Checks the names in `requires`. */
export function checkRequiresVocabulary(
  requires: Requires,
  vocabulary: Vocabulary,
  document: LocatedYaml,
  path: DocumentPath,
): SuiteProblem[] {
  const { problems, known } = checker(document);
  const lists = [
    ['function', 'functions', vocabulary.functions],
    ['extension', 'extensions', vocabulary.extensions],
    ['element type', 'dtypes', vocabulary.dtypes],
  ] as const;
  for (const [what, key, names] of lists) {
    for (const [i, name] of (requires[key] ?? []).entries()) known(what, name, names, [...path, key, i]);
  }
  return problems;
}

/** Checks the functions that a case demands. */
export function checkDemandsVocabulary(
  demands: readonly string[],
  vocabulary: Vocabulary,
  document: LocatedYaml,
  path: DocumentPath,
): SuiteProblem[] {
  const { problems, known } = checker(document);
  for (const [i, name] of demands.entries()) known('function', name, vocabulary.functions, [...path, i]);
  return problems;
}

function checker(document: LocatedYaml) {
  const problems: SuiteProblem[] = [];
  const known = (
    what: string,
    name: string,
    names: ReadonlySet<string> | ReadonlyMap<string, unknown> | undefined,
    path: DocumentPath,
    onKey = false,
  ): void => {
    if (!names || names.has(name)) return;
    const position = onKey ? document.keyAt(path) : document.at(path);
    const all = [...names.keys()];
    // A long list is no help; a short one is the quickest answer.
    const expected = all.length <= 24 ? (all.length === 0 ? 'there are none' : `one of ${all.join(', ')}`) : undefined;
    const help = (what === 'probe' ? REPLACED_PROBES[name] : undefined) ?? didYouMean(name, all);
    problems.push(document.problem(path, `unknown ${what} ${show(name)}`, { position, expected, help }));
  };
  return { problems, known };
}

/** How the values of each kind of data are read. */
const READ_VALUE: Readonly<Record<string, (type: DType, value: Scalar) => unknown>> = {
  fill: encode,
  values: encode,
  draw: encode,
  bits: (type, value) => parseBits(type, String(value)),
};

/** Values must be those of the element type. */
function checkElementValues(
  kind: string,
  { dtype, value, of = [value] }: Record<string, unknown>,
  document: LocatedYaml,
  path: DocumentPath,
): SuiteProblem[] {
  const type = DTYPES.find(({ name }) => name === dtype);
  const readValue = READ_VALUE[kind];
  if (type === undefined || readValue === undefined || !Array.isArray(of)) return [];
  return of.flatMap((one, i) => {
    try {
      readValue(type, one as Scalar);
      return [];
    } catch (error) {
      const at = kind === 'fill' ? [...path, 'value'] : [...path, 'of', i];
      return document.problem(at, `wrong value for ${type.name}`, { help: (error as Error).message });
    }
  });
}

/** `values` and `bits` must have exactly as many elements as the shape, `draw` not more. */
function checkCount(
  kind: string,
  options: Record<string, unknown>,
  document: LocatedYaml,
  path: DocumentPath,
): SuiteProblem[] {
  const { shape, of } = options;
  if (!Array.isArray(shape) || !Array.isArray(of) || !shape.every(Number.isInteger)) return [];
  const count = shape.reduce((product: number, size: number) => product * size, 1);
  if (count === of.length || (kind === 'draw' && count > of.length)) return [];
  const expected = `${kind === 'draw' ? 'at most ' : ''}${count} for shape ${show(shape)}`;
  const said = { expected, got: String(of.length) };
  return [document.problem([...path, 'of'], 'number of elements does not match the shape', said)];
}
