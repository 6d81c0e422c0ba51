import { visibleLineEnds } from '../base/display.ts';
import type { ErrorSubject } from '../base/error-subject.ts';

/** 1-based location in a file. */
export interface Position {
  line: number;
  column: number;
}

/** One problem with a suite, a requirements file or a selection, and what to do about it. */
export interface SuiteProblem {
  file: string;
  /** Absent if the problem is about the whole file. */
  position?: Position;
  /** Path inside the document, e.g. `cases[0].steps[2].put`; empty for the document itself. */
  path: string;
  /** The problem, without the location. */
  message: string;
  /** syntax: the text is no YAML, so its value can only be guessed. */
  kind?: 'syntax';
  expected?: string;
  got?: string;
  /** What to do about it. */
  help?: string;
  /** The option that it is about, without dashes; `file` is then what the user wrote. */
  option?: string;
}

/** What problems are about: options, and files as a whole. A place within a file needs no further explanation. */
export const subjectOf = (problems: readonly SuiteProblem[]): Required<ErrorSubject> => ({
  options: problems.flatMap(({ option }) => option ?? []),
  paths: problems.flatMap(({ option, position, file }) => (option === undefined && !position ? [file] : [])),
});

/** All problems at once; the only error that this directory throws for invalid input. */
export class SuiteError extends Error implements ErrorSubject {
  override name = 'SuiteError';
  readonly problems: readonly SuiteProblem[];
  readonly options: readonly string[];
  readonly paths: readonly string[];

  constructor(problems: readonly SuiteProblem[]) {
    super(problems.map(formatProblem).join('\n'));
    this.problems = problems;
    ({ options: this.options, paths: this.paths } = subjectOf(problems));
  }
}

/** A problem with a file as a whole. */
export const fileProblem = (file: string, message: string, more?: Partial<SuiteProblem>): SuiteProblem => ({
  file,
  path: '',
  message,
  ...more,
});

/** Throws if there are problems. */
export function throwIfAny(problems: readonly SuiteProblem[]): void {
  if (problems.length > 0) throw new SuiteError(problems);
}

/** `file:line:column: path: message`, then indented lines for what was expected, what was found and what to do. */
export function formatProblem(problem: SuiteProblem): string {
  const { file, position, path, message, expected, got, help } = problem;
  const place = position ? `${file}:${position.line}:${position.column}` : file;
  const lines = [[place, path, message].filter((part) => part !== '').join(': ')];
  if (expected !== undefined) lines.push(`    expected: ${expected}`);
  if (got !== undefined) lines.push(`    got: ${got}`);
  if (help !== undefined) lines.push(`    help: ${help}`);
  return lines.map(visibleLineEnds).join('\n');
}

/** `cases[0].steps[2].put` for a list of keys and indices. */
export function formatPath(path: readonly (string | number)[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    const key = /^[A-Za-z0-9_-]+$/.test(part) ? part : JSON.stringify(part);
    return text === '' ? key : `${text}.${key}`;
  }, '');
}

/** A value in an error message: one line of limited length. */
export function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'nothing (null)';
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
