/** Functions and operations in the text of a module. */
import type { MlirText } from './mlir-text.ts';

/** A function with a body; all numbers are indices of tokens. */
export interface FunctionText {
  /** With the `@`. */
  name: string;
  /** The keyword `func.func`. */
  start: number;
  /** The `(` of the arguments. */
  parameters: number;
  /** The `{` of the body. */
  body: number;
}

/** A value that an operation gives. */
interface ResultText {
  name: string;
  /** More than one in `%0:2`. */
  count: number;
}

/** An operation at the top level of a body; `start` and `end` (exclusive) are indices of tokens. */
export interface OperationText {
  results: ResultText[];
  name: string;
  /** Index of its name. */
  at: number;
  start: number;
  end: number;
}

/** All functions that have a body. */
export function functionsOf(mlir: MlirText): FunctionText[] {
  const functions: FunctionText[] = [];
  for (let i = 0; i < mlir.tokens.length; ) {
    if (mlir.is(i, 'func.func')) {
      const found = functionAt(mlir, i);
      if (found.body >= 0) functions.push(found);
      i = found.next;
    } else if (mlir.is(i, '{') && !opensModule(mlir, i)) i = mlir.next(i);
    else i++;
  }
  return functions;
}

/** Attributes are skipped, and a module is entered. */
function opensModule(mlir: MlirText, brace: number): boolean {
  const close = mlir.tokens[brace]!.partner;
  for (let i = brace + 1; i < close; i = mlir.next(i)) if (mlir.is(i, 'func.func')) return true;
  return false;
}

function functionAt(mlir: MlirText, start: number): FunctionText & { next: number } {
  let i = start + 1;
  if (['public', 'private', 'nested'].some((word) => mlir.is(i, word))) i++;
  const name = mlir.of(i);
  if (mlir.tokens[i]?.kind !== 'symbol') throw mlir.expected(i, 'the name of a function');
  const parameters = i + 1;
  if (!mlir.is(parameters, '(')) throw mlir.expected(parameters, '"(" after the name of a function');
  i = mlir.next(parameters);
  const end = (at: number): FunctionText & { next: number } => ({ name, start, parameters, body: -1, next: at });
  while (i < mlir.tokens.length) {
    if (mlir.is(i, 'attributes')) i = mlir.next(i + 1);
    else if (mlir.is(i, '{')) return { name, start, parameters, body: i, next: mlir.next(i) };
    else if (mlir.is(i, 'func.func') || mlir.is(i, '}')) return end(i);
    else i = mlir.next(i);
  }
  return end(i);
}

/** The operations of a body of one block. @throws RecordedModuleError */
export function operationsOf(mlir: MlirText, body: number): OperationText[] {
  const close = mlir.tokens[body]!.partner;
  const operations: OperationText[] = [];
  for (let i = body + 1; i < close; ) {
    const operation = startAt(mlir, i);
    if (!operation) throw mlir.expected(i, 'an operation at the beginning of a line');
    i = mlir.next(operation.at);
    while (i < close && !(mlir.tokens[i]!.first && startAt(mlir, i))) {
      if (mlir.tokens[i]!.first && mlir.of(i).startsWith('^')) throw mlir.expected(i, 'a body of one block');
      i = mlir.next(i);
    }
    operations.push({ ...operation, end: i });
  }
  return operations;
}

/** `%a, %b:2 = name`, or `name`. */
function startAt(mlir: MlirText, start: number): Omit<OperationText, 'end'> | undefined {
  const results: ResultText[] = [];
  let at = start;
  while (mlir.tokens[at]?.kind === 'value') {
    const name = mlir.of(at++);
    const counted = mlir.is(at, ':');
    results.push({ name, count: counted ? Number(mlir.of(at + 1)) : 1 });
    if (counted) at += 2;
    if (mlir.is(at, ',')) at++;
    else if (mlir.is(at, '=')) {
      at++;
      break;
    } else return undefined;
  }
  const token = mlir.tokens[at];
  if (token?.kind === 'string' && /^"[a-z_]\w*\.[\w.]+"$/.test(shortText(mlir, at)))
    return { results, name: mlir.of(at).slice(1, -1), at, start };
  if (token?.kind !== 'word') return undefined;
  const name = mlir.of(at);
  return /^(?:[a-z_]\w*\.[\w.]+|call|return|constant)$/.test(name) ? { results, name, at, start } : undefined;
}

const shortText = (mlir: MlirText, at: number): string => {
  const { start, end } = mlir.tokens[at]!;
  return end - start > 100 ? '' : mlir.of(at);
};

/** A value in the text, and where. */
export interface ValueText {
  name: string;
  at: number;
}

/** All values that an operation uses, in regions too. */
export function valuesIn(mlir: MlirText, { at, end }: OperationText): ValueText[] {
  const values: ValueText[] = [];
  for (let i = at; i < end; i++) if (mlir.tokens[i]!.kind === 'value') values.push({ name: mlir.of(i), at: i });
  return values;
}
