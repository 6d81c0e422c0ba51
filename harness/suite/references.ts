import { closest, didYouMean } from '../base/did-you-mean.ts';
import type { DocumentPath, LocatedYaml } from './located-yaml.ts';
import { completeRows } from './matrix.ts';
import { interpolatedNames, looksLikeReference, referenceName, visitStrings } from './parameters.ts';
import { type SuiteProblem, show } from './problem.ts';
import { nestedSteps, type RawCase, type RawStep, verbsOf } from './raw.ts';
import { bufferOf, EXECUTABLE, PROGRAM_INPUTS } from './run-step.ts';
import { type Case, RUNNER_BINDINGS } from './types.ts';

/** Bindings by the client of a case; without one, `$topology` is created from the plugin's manifest. */
const BINDINGS: Readonly<Record<Case['client'], readonly string[]>> = {
  shared: RUNNER_BINDINGS,
  own: ['plugin', 'plugins', 'expected_platform'],
  none: ['plugin', 'plugins', 'topology', 'expected_platform'],
};

/** Checks that every `$name` of a case is bound before it is used, and that no name is bound twice. */
export function checkReferences(
  raw: RawCase,
  client: Case['client'],
  document: LocatedYaml,
  path: DocumentPath,
): SuiteProblem[] {
  const scope = new Scope(valuesByParameter(raw), client, document);
  for (const key of ['title', 'description', 'requires'] as const) scope.checkParametersOnly(raw[key], [...path, key]);
  checkSteps(raw.steps, [...path, 'steps'], scope);
  return scope.problems;
}

/** The written values of each parameter; a `$set` stands for its members. */
const valuesByParameter = ({ matrix = {}, ...table }: RawCase): Map<string, unknown[]> => {
  const rows = completeRows(table);
  return new Map([
    ...Object.keys(rows[0] ?? {}).map((name): [string, unknown[]] => [name, rows.map((row) => row[name])]),
    ...Object.entries(matrix).map(([name, values]): [string, unknown[]] => [name, [values].flat(1)]),
  ]);
};

function checkSteps(steps: readonly RawStep[], path: DocumentPath, scope: Scope): void {
  for (const [i, step] of steps.entries()) checkStepAt(step, [...path, i], scope);
}

function checkStepAt(step: RawStep, at: DocumentPath, scope: Scope): void {
  const nested = nestedSteps(step);
  const { [nested.key]: _, collect, gather, ...own } = step;
  if (verbsOf(step)[0] === 'run') {
    checkRun(step, at, scope);
    return;
  }
  scope.checkStep(own, at);
  if (nested.steps.length > 0) {
    scope.within(() => {
      for (const { name, path: where } of namesWithin(step, at)) scope.bind(name, where);
      const lanes = step['on-threads'] === 'each';
      for (const [i, one] of (lanes ? nested.steps : []).entries())
        scope.within(() => checkStepAt(one, [...at, nested.key, i], scope));
      if (!lanes) checkSteps(nested.steps, [...at, nested.key], scope);
      scope.checkStep({ collect, gather }, at);
    });
  }
  for (const { name, path: where } of boundNames(step, at)) scope.bind(name, where);
}

/** Data for a program may refer to what stands before it, and what is expected of the results to all of it. */
function checkRun({ run, as, with: given, gives, ...rules }: RawStep, at: DocumentPath, scope: Scope): void {
  const bindBoth = (key: string, name: string): void => {
    for (const one of [name, bufferOf(name)]) scope.bind(one, [...at, key, name]);
  };
  scope.checkStep({ run }, at);
  if (typeof given === 'string') {
    scope.checkStep({ with: given }, at);
    if (given === PROGRAM_INPUTS) scope.bind(given, [...at, 'with']);
    scope.bind(bufferOf(given.replace('$', '')), [...at, 'with']);
  } else
    for (const [name, data] of Object.entries(given ?? {})) {
      scope.checkStep({ [name]: data }, [...at, 'with']);
      bindBoth('with', name);
    }
  scope.bind(String(as ?? EXECUTABLE), [...at, as === undefined ? 'run' : 'as']);
  for (const name of Object.keys(gives ?? {})) bindBoth('gives', name);
  scope.checkStep({ gives, ...rules }, at);
}

/** Names that only the steps inside a step know: the element of a loop, the event of a copy in progress. */
export const namesWithin = (step: RawStep, at: DocumentPath): { name: string; path: DocumentPath }[] => [
  ...['for-each', 'on-threads'].flatMap((verb) => (step[verb] === 'each' ? [] : namesIn(step[verb], [...at, verb]))),
  ...namesIn((step.get as { event?: unknown } | undefined)?.event, [...at, 'get', 'event']),
];

/** Whether a step that expects an error may also end without one. */
const maySucceed = (error: unknown): boolean =>
  error === undefined || (error as { or?: unknown } | null)?.or === 'success';

/**
 * Names that a step binds, with their locations. A step that must fail binds nothing. Also for
 * steps that the schema rejects: a misspelt verb must not invalidate every later reference.
 */
export function boundNames(step: RawStep, path: DocumentPath): { name: string; path: DocumentPath }[] {
  const verb = verbsOf(step)[0];
  const outputs = namesIn(step.as, [...path, 'as']);
  if (step.steps !== undefined)
    return [...namesIn(step.collect, [...path, 'collect']), ...namesIn(step.gather, [...path, 'gather'])];
  if (verb === 'if-offered') return [];
  if (verb !== undefined && BINDING_BESIDE.has(verb)) return outputs;
  if (verb === 'call' && step.unread === undefined && maySucceed(step.error)) return outputs;
  if (verb === 'call') return namesIn(step.unread, [...path, 'unread']);
  const bodies = verb === undefined ? Object.keys(step) : [verb];
  return bodies.flatMap((key) => {
    const body = step[key];
    if (typeof body !== 'object' || body === null) return [];
    const { error } = body as { error?: unknown };
    const names = NAMES_OF[key] ?? ['as'];
    return maySucceed(error)
      ? names.flatMap((name) => namesIn((body as Record<string, unknown>)[name], [...path, key, name]))
      : [];
  });
}

/** Keys that bind names, if there are others than `as`. */
const NAMES_OF: Readonly<Record<string, readonly string[]>> = {
  put: ['as', 'host', 'done'],
  compile: ['as', 'executable'],
  execute: ['as', 'completion'],
};

/** Verbs whose `as` stands beside them. */
const BINDING_BESIDE: ReadonlySet<string> = new Set(['program', 'pending', 'listen', 'layout', 'read', 'decode']);

/** `x`, `[x, y]` and `{x: field}` all bind names. */
function namesIn(as: unknown, path: DocumentPath): { name: string; path: DocumentPath }[] {
  if (typeof as === 'string') return [{ name: as, path }];
  if (Array.isArray(as)) return as.flatMap((item, i) => namesIn(item, [...path, i]));
  if (typeof as !== 'object' || as === null) return [];
  return Object.keys(as).map((name) => ({ name, path: [...path, name] }));
}

class Scope {
  readonly problems: SuiteProblem[] = [];
  readonly params: ReadonlyMap<string, readonly unknown[]>;
  readonly client: Case['client'];
  readonly runner: readonly string[];
  readonly bound = new Map<string, number>();
  readonly document: LocatedYaml;

  constructor(params: ReadonlyMap<string, readonly unknown[]>, client: Case['client'], document: LocatedYaml) {
    this.params = params;
    this.client = client;
    this.runner = BINDINGS[client];
    this.document = document;
  }

  report(path: DocumentPath, message: string, more?: Partial<SuiteProblem>): void {
    this.problems.push(this.document.problem(path, message, more));
  }

  bind(name: string, path: DocumentPath): void {
    const line = this.bound.get(name);
    if (line !== undefined)
      this.report(path, `$${name} is already bound in line ${line}`, { help: 'choose another name' });
    else if (this.params.has(name))
      this.report(path, `$${name} is a parameter of the matrix`, { help: 'choose another name' });
    else if (this.runner.includes(name))
      this.report(path, `the runner binds $${name}`, { help: 'choose another name' });
    else if (!/^[a-z][A-Za-z0-9_]*$/.test(name)) {
      this.report(path, `wrong name ${show(name)}`, {
        expected: 'a lower-case letter, then letters, digits and underscores',
      });
    } else this.bound.set(name, this.document.at(path).line);
  }

  /** Names that are bound meanwhile end with it. */
  within(check: () => void): void {
    const outside = new Map(this.bound);
    check();
    this.bound.clear();
    for (const [name, line] of outside) this.bound.set(name, line);
  }

  checkStep(step: RawStep, path: DocumentPath): void {
    visitStrings(step, path, (text, at) => {
      this.checkInterpolation(text, at);
      if (looksLikeReference(text)) this.checkReference(text, at);
    });
  }

  /** Outside of steps only parameters have a value. */
  checkParametersOnly(value: unknown, path: DocumentPath): void {
    visitStrings(value, path, (text, at) => {
      this.checkInterpolation(text, at);
      if (!looksLikeReference(text)) return;
      const reference = referenceName(text);
      if (reference?.rest !== '' || !this.params.has(reference.name)) {
        this.report(at, `${show(text)} is not a parameter of the matrix`, this.meantParameter(reference?.name ?? text));
      }
    });
  }

  private checkInterpolation(text: string, at: DocumentPath): void {
    for (const name of interpolatedNames(text)) {
      if (!this.params.has(name)) {
        this.report(at, `\${${name}} is not a parameter of the matrix`, this.meantParameter(name));
      }
    }
  }

  private meantParameter(name: string): Partial<SuiteProblem> {
    const expected = this.params.size === 0 ? 'the case has no matrix' : `one of ${[...this.params.keys()].join(', ')}`;
    return { expected, help: didYouMean(name, this.params.keys()) };
  }

  private checkReference(text: string, at: DocumentPath): void {
    const reference = referenceName(text);
    if (!reference) {
      this.report(at, `${show(text)} is not a reference`, {
        expected: '$name, or $name[0] for an element of a list',
        help: `a string that begins with $ is always a reference; inside a longer string a parameter is written \${name}`,
      });
      return;
    }
    const { name, rest } = reference;
    const values = this.params.get(name);
    if (values) {
      const mayBeList = values.some((value) => Array.isArray(value) || String(value).startsWith('$'));
      if (rest !== '' && !mayBeList) this.report(at, `parameter $${name} has no elements`, { got: text });
      return;
    }
    if (this.bound.has(name) || this.runner.includes(name)) return;
    if ((RUNNER_BINDINGS as readonly string[]).includes(name)) {
      this.report(at, `$${name} is not bound in a case with \`client: ${this.client}\``, {
        help: `create a client with the step \`client: {as: c}\`, or remove \`client: ${this.client}\``,
      });
      return;
    }
    const names = [...this.params.keys(), ...this.bound.keys(), ...this.runner];
    const near = closest(name, names);
    this.report(at, `unknown reference $${name}`, {
      expected: 'a matrix parameter, a name bound by an earlier step, or a runner binding',
      got: `bound here: ${names.map((n) => `$${n}`).join(', ')}`,
      help: near === undefined ? undefined : `did you mean "$${near}"?`,
    });
  }
}
