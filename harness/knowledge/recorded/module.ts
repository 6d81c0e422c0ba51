/**
 * Recorded tests: modules that hold a program, its inputs, the results that it had, and how near a result must come. This is
 * the form of StableHLO's own tests (`stablehlo/testdata`, `stablehlo/tests/interpret`).
 */
import type { HostArray } from '../numerics/array.ts';
import { DTypeError } from '../numerics/dtypes.ts';
import {
  CHECK_ATTRIBUTES,
  CHECK_NAMES,
  type CheckAttributes,
  ONLY_INTERPRETER,
  STATIC_OPERANDS,
  type Tolerance,
  toleranceOf,
} from './checks.ts';
import { ConstantError, denseConstant, tensorType } from './dense-constant.ts';
import { type FunctionText, functionsOf, type OperationText, operationsOf, valuesIn } from './functions.ts';
import { MlirText, sectionsOf } from './mlir-text.ts';

/** What a check compares an output with. */
export interface RecordedCheck {
  /** As written: `check.expect_close`. */
  name: string;
  /** Line of the file. */
  line: number;
  tolerance: Tolerance;
  /** Index of the output. */
  output: number;
  /** The recorded array, or another output. */
  expected: HostArray | number;
  /** The one operation that computes the output from inputs, without its dialect, and the inputs that it takes. */
  operation?: { name: string; inputs: number[] };
}

/** A program without its data, the data, and what to check. */
export interface RecordedTest {
  program: string;
  inputs: HostArray[];
  checks: RecordedCheck[];
  /** What the module says about itself: why StableHLO does not run it on its own interpreter. */
  disabled?: string;
}

/** Why a test cannot be run on a plugin. */
export interface NoTest {
  reason: string;
}

/** A function that is a test, and where it is in its file. */
export interface TestFunction {
  /** Without the `@`. */
  name: string;
  /** Of several of the same name in a file, which, from 1. */
  occurrence: number;
  line: number;
}

/** Which test of a file: the only one, or the one of this name. */
export interface TestChoice {
  function?: string;
  occurrence?: number;
}

/** The tests in a file. @throws RecordedModuleError */
export function testFunctions(text: string, file: string): TestFunction[] {
  const seen = new Map<string, number>();
  return sectionsOf(text).flatMap(({ text: section, line }) => {
    const mlir = new MlirText(section, file, line);
    const test = testOf(mlir);
    if (!test) return [];
    const name = nameOf(test);
    const occurrence = (seen.get(name) ?? 0) + 1;
    seen.set(name, occurrence);
    return [{ name, occurrence, line: mlir.lineAt(mlir.tokens[test.start]!.start) }];
  });
}

const nameOf = ({ name }: FunctionText): string => name.slice(1).replace(/^"|"$/g, '');

/** `main`, or the only function: what StableHLO's interpreter runs. */
function testOf(mlir: MlirText): FunctionText | undefined {
  const functions = functionsOf(mlir);
  return functions.find(({ name }) => name === '@main') ?? (functions.length === 1 ? functions[0] : undefined);
}

/**
 * Takes a recorded test apart.
 * @param choice which one, if the file has several
 * @throws RecordedModuleError if the text is not understood, or has no such test
 */
export function readRecorded(text: string, file: string, choice: TestChoice = {}): RecordedTest | NoTest {
  const { function: wanted, occurrence = 1 } = choice;
  const found: string[] = [];
  let left = occurrence;
  for (const { text: section, line } of sectionsOf(text)) {
    const mlir = new MlirText(section, file, line);
    const test = testOf(mlir);
    if (!test) continue;
    found.push(nameOf(test));
    if (wanted !== undefined && (nameOf(test) !== wanted || --left > 0)) continue;
    const disabled = /^\/\/ RUN-DISABLED\(([^)]*)\)/m.exec(section)?.[1];
    const taken = new Test(mlir, test).take();
    return 'reason' in taken || disabled === undefined ? taken : { ...taken, disabled };
  }
  const some =
    found.length === 0 ? 'it has no function with a body, or several and no main' : `it has ${found.join(', ')}`;
  const which = `${wanted}${occurrence > 1 ? `, number ${occurrence}` : ''}`;
  throw new MlirText('', file).error(0, wanted === undefined ? some : `expected a test ${which}; ${some}`);
}

/** A constant in the text: where its type and its literal are. */
interface ConstantText {
  type: string;
  /** The whole attribute, `dense<…> : type`. */
  start: number;
  end: number;
  read(): HostArray;
}

interface Edit {
  start: number;
  end: number;
  text: string;
}

/** One function, taken apart: the program, its data and its checks. */
class Test {
  readonly #mlir: MlirText;
  readonly #function: FunctionText;
  readonly #operations: OperationText[];
  /** Constants by the value that they have: those of `@inputs` and `@expected`, or, without these, all of the function. */
  readonly #constants = new Map<string, ConstantText>();
  /** Operations that give these constants. */
  readonly #sources = new Set<OperationText>();
  /** Functions that are not part of the program. */
  readonly #removed: FunctionText[] = [];

  constructor(mlir: MlirText, test: FunctionText) {
    this.#mlir = mlir;
    this.#function = test;
    this.#operations = operationsOf(mlir, test.body);
  }

  take(): RecordedTest | NoTest {
    const mlir = this.#mlir;
    const alone = this.#onlyInterpreter();
    if (alone) return { reason: alone };
    if (mlir.next(this.#function.parameters) !== this.#function.parameters + 2)
      return { reason: `${this.#function.name} takes arguments, and the file does not say which` };
    this.#findConstants();
    const checks = this.#operations.filter((operation) => this.#checkName(operation) !== undefined);
    if (checks.length === 0) return { reason: 'it checks nothing' };
    const results = this.#operations.at(-1)!;
    if (!['return', 'func.return'].includes(results.name)) throw mlir.expected(results.at, 'a return at the end');
    const program = this.#operations.filter((operation) => !checks.includes(operation) && operation !== results);
    for (const check of checks) this.#checkUnused(check, program);
    return this.#assemble(program, checks, results);
  }

  /** What only the interpreter has, in any function of the module. */
  #onlyInterpreter(): string | undefined {
    const { tokens } = this.#mlir;
    for (let i = 0; i < tokens.length; i++) {
      const { kind, end, start } = tokens[i]!;
      if ((kind !== 'word' && kind !== 'string') || end - start > 60) continue;
      const name = this.#mlir.of(i).replace(/^"|"$/g, '');
      if (Object.hasOwn(ONLY_INTERPRETER, name)) return `${name}: ${ONLY_INTERPRETER[name]}`;
    }
    return undefined;
  }

  #findConstants(): void {
    const data = functionsOf(this.#mlir).filter(({ name }) => name === '@inputs' || name === '@expected');
    this.#removed.push(...data);
    for (const operation of this.#operations) {
      if (data.length === 0 && isConstant(operation)) {
        const constant = this.#constantIn(operation);
        if (constant) this.#give(operation, [constant]);
      } else if (operation.name === 'call' || operation.name === 'func.call') {
        const called = data.find(({ name }) => this.#mlir.is(operation.at + 1, name));
        if (called) this.#give(operation, this.#constantsOf(called));
      }
    }
  }

  #give(operation: OperationText, constants: readonly ConstantText[]): void {
    const names = operation.results.flatMap(({ name, count }) =>
      count === 1 ? [name] : Array.from({ length: count }, (_, i) => `${name}#${i}`),
    );
    if (names.length !== constants.length)
      throw this.#mlir.error(operation.start, `expected ${constants.length} results, got ${names.length}`);
    for (const [i, name] of names.entries()) this.#constants.set(name, constants[i]!);
    this.#sources.add(operation);
  }

  /** What `@inputs` or `@expected` returns: nothing but constants. */
  #constantsOf({ body, name }: FunctionText): ConstantText[] {
    const mlir = this.#mlir;
    const operations = operationsOf(mlir, body);
    const results = operations.at(-1);
    const values = new Map<string, ConstantText>();
    for (const operation of operations.slice(0, -1)) {
      const constant = isConstant(operation) ? this.#constantIn(operation) : undefined;
      if (!constant) throw mlir.expected(operation.at, `a constant in ${name}, of an element type that arrays have`);
      values.set(operation.results[0]!.name, constant);
    }
    if (!results || !['return', 'func.return'].includes(results.name))
      throw mlir.error(body, `expected a return at the end of ${name}`);
    return valuesIn(mlir, results).map(({ name: value, at }) => {
      const constant = values.get(value);
      if (!constant) throw mlir.expected(at, `a constant of ${name}`);
      return constant;
    });
  }

  /** The constant of an operation; undefined if no array can hold it. */
  #constantIn(operation: OperationText): ConstantText | undefined {
    const mlir = this.#mlir;
    const { at, end } = operation;
    this.#demandWhole(operation);
    const dense = range(at, end).find((i) => mlir.is(i, 'dense') && mlir.is(i + 1, '<'));
    if (dense === undefined) throw mlir.expected(at + 1, 'dense<…>');
    const constant = this.#dense(dense);
    if (!constant) return undefined;
    // `value = dense<…> : tensor<2xi8>} : () -> tensor<2x!quant…>`: the attribute is not of the type of the result.
    const last = mlir.tokens[end - 1]!;
    const written = mlir.text.slice(mlir.tokens[at]!.start, last.end);
    return written.endsWith(constant.type) ? constant : undefined;
  }

  /** `dense<…> : type` at a token. */
  #dense(dense: number): ConstantText | undefined {
    const mlir = this.#mlir;
    const open = mlir.tokens[dense + 1]!;
    const close = mlir.tokens[open.partner]!;
    const colon = open.partner + 1;
    if (!mlir.is(colon, ':')) throw mlir.expected(colon, '":" and a type after dense<…>');
    if (!mlir.is(colon + 1, 'tensor')) throw mlir.expected(colon + 1, 'a tensor type');
    const type = this.#typeAt(colon + 1);
    const known = tensorType(type);
    if (!known) return undefined;
    const { start } = mlir.tokens[dense]!;
    const end = mlir.tokens[mlir.next(colon + 2) - 1]!.end;
    const read = (): HostArray => {
      try {
        return denseConstant(mlir.text, open.end, close.start, known);
      } catch (error) {
        if (!(error instanceof ConstantError) && !(error instanceof DTypeError)) throw error;
        throw mlir.error(dense, `the constant of type ${type}: ${error.message}`);
      }
    };
    return { type, start, end, read };
  }

  /** The text of the type at a token: a word, and what follows in angle brackets. */
  #typeAt(at: number): string {
    const mlir = this.#mlir;
    const last = mlir.is(at + 1, '<') ? mlir.tokens[at + 1]!.partner : at;
    return mlir.text.slice(mlir.tokens[at]!.start, mlir.tokens[last]!.end);
  }

  /** The name of a check; undefined for every other operation. */
  #checkName({ name, at }: OperationText): string | undefined {
    if (name.startsWith('check.')) return name;
    const called = name === 'stablehlo.custom_call' ? this.#mlir.of(at + 1) : '';
    return called.startsWith('@check.') ? called.slice(1) : undefined;
  }

  /** The result of a check may only be returned. */
  #checkUnused(check: OperationText, program: readonly OperationText[]): void {
    for (const { name } of check.results) {
      const user = program.find((operation) => valuesIn(this.#mlir, operation).some((value) => value.name === name));
      if (user) throw this.#mlir.error(user.start, `${name}, the result of a check, is used in the program`);
    }
  }

  #assemble(program: readonly OperationText[], checks: readonly OperationText[], results: OperationText): RecordedTest {
    const mlir = this.#mlir;
    const edits: Edit[] = [];
    const fixed = this.#fixedValues(program);
    const outputs = new Map<string, { index: number; type: string }>();
    const output = (name: string, type: string): number => {
      const known = outputs.get(name) ?? { index: outputs.size, type };
      outputs.set(name, known);
      return known.index;
    };
    const compared = checks.map((check) => this.#check(check, output));
    const computing = program.filter((operation) => !this.#sources.has(operation));
    const used = new Set([
      ...computing.flatMap((operation) => valuesIn(mlir, operation).map(({ name }) => name)),
      ...outputs.keys(),
    ]);
    const parameters = [...this.#constants].filter(([name]) => used.has(name) && !fixed.has(name));
    const inputs = new Map(parameters.map(([name], i) => [name, i]));
    const nameOfValue = (name: string): string =>
      inputs.has(name) ? `%recorded_${inputs.get(name)}` : fixed.has(name) ? fixedName(name) : name;

    for (const removed of [...checks, ...this.#sources, results]) this.#demandWhole(removed);
    for (const check of checks) edits.push({ ...this.#span(check), text: '' });
    for (const source of this.#sources) edits.push({ ...this.#span(source), text: this.#kept(source, fixed, used) });
    for (const operation of computing) {
      for (const { name, at } of valuesIn(mlir, operation)) {
        const text = nameOfValue(name);
        if (text !== name) edits.push({ start: mlir.tokens[at]!.start, end: mlir.tokens[at]!.end, text });
      }
    }
    const returned = [...outputs].map(([name, { type }]) => ({ name: nameOfValue(name), type }));
    const types = returned.map(({ type }) => type).join(', ');
    edits.push({
      ...this.#span(results),
      text: `${results.name} ${returned.map(({ name }) => name).join(', ')} : ${types}`,
    });
    const signature = parameters.map(([, { type }], i) => `%recorded_${i}: ${type}`).join(', ');
    edits.push({
      start: mlir.tokens[this.#function.start]!.start,
      end: mlir.tokens[this.#function.body]!.start,
      text: `func.func public @main(${signature}) -> (${types}) `,
    });
    for (const { start, body } of this.#removed)
      edits.push({ start: mlir.tokens[start]!.start, end: mlir.tokens[mlir.tokens[body]!.partner]!.end, text: '' });
    return {
      program: this.#edited(edits),
      inputs: parameters.map(([, constant]) => constant.read()),
      checks: compared.map((check) =>
        this.#withOperation(check, [...outputs.keys()][check.output]!, computing, inputs),
      ),
    };
  }

  /** What is not recognized as an operation would go with the one before it. */
  #demandWhole(operation: OperationText): void {
    const further = this.#furtherLine(operation);
    if (further !== undefined)
      throw this.#mlir.expected(further, `${operation.name} to end, and an operation to begin`);
  }

  /** The first token of a further line of an operation, outside of brackets. */
  #furtherLine({ at, end }: OperationText): number | undefined {
    const mlir = this.#mlir;
    const goesOn = (i: number): boolean => CONTINUING.some((text) => mlir.is(i - 1, text));
    for (let i = mlir.next(at); i < end; i = mlir.next(i)) if (mlir.tokens[i]!.first && !goesOn(i)) return i;
    return undefined;
  }

  /** The text from an operation to the next. */
  #span({ start, end }: OperationText): { start: number; end: number } {
    return { start: this.#mlir.tokens[start]!.start, end: this.#mlir.tokens[end - 1]!.end };
  }

  /** Constants that remain in the program, in place of the operation that gave them. */
  #kept(source: OperationText, fixed: ReadonlySet<string>, used: ReadonlySet<string>): string {
    const names = [...this.#constants.keys()].filter((name) => fixed.has(name) && used.has(name));
    return names
      .filter((name) => source.results.some((result) => result.name === name.replace(/#\d+$/, '')))
      .map((name) => {
        const { start, end } = this.#constants.get(name)!;
        return `${fixedName(name)} = stablehlo.constant ${this.#mlir.text.slice(start, end)}`;
      })
      .join('\n    ');
  }

  /** Values that a compiler must know, and everything from which they are computed. */
  #fixedValues(program: readonly OperationText[]): Set<string> {
    const mlir = this.#mlir;
    const fixed = new Set<string>();
    for (const operation of program.toReversed()) {
      const values = valuesIn(mlir, operation).map(({ name }) => name);
      const places = Object.hasOwn(STATIC_OPERANDS, operation.name) ? STATIC_OPERANDS[operation.name]! : [];
      for (const place of places) if (values[place] !== undefined) fixed.add(values[place]);
      const gives = operation.results.some(({ name, count }) =>
        count === 1 ? fixed.has(name) : range(0, count).some((i) => fixed.has(`${name}#${i}`)),
      );
      if (gives && !this.#sources.has(operation)) for (const value of values) fixed.add(value);
    }
    return fixed;
  }

  #check(check: OperationText, output: (name: string, type: string) => number): RecordedCheck {
    const mlir = this.#mlir;
    const name = this.#checkName(check)!;
    const line = mlir.lineAt(mlir.tokens[check.start]!.start);
    const [first, second, ...more] = valuesIn(mlir, check).map((value) => value.name);
    const constant = this.#constantOfCheck(check, name);
    if (first === undefined || more.length > 0 || (second === undefined) === (constant === undefined))
      throw mlir.error(check.start, `expected ${name} with a result and what it should be`);
    const type = constant?.type ?? this.#typeOfCheck(check);
    const known = tensorType(type);
    if (!known) throw mlir.error(check.start, `expected a type of static shape that arrays have, got ${type}`);
    const isFloat = known.dtype.kind === 'float' || known.dtype.kind === 'complex';
    const form = check.name === 'stablehlo.custom_call' ? 'call' : 'operation';
    const tolerance = toleranceOf(name, form, this.#attributes(check), isFloat);
    if (!tolerance)
      throw mlir.error(check.start, `expected one of ${CHECK_NAMES.join(', ')}, got ${name} as it is here`);
    if (constant) return { name, line, tolerance, output: output(first, type), expected: constant.read() };
    // The recorded value comes second, except where it is written first; if both are computed, the second is the reference.
    const swapped = this.#constants.has(first) && !this.#constants.has(second!);
    const [actual, expected] = swapped ? [second!, first] : [first, second!];
    return {
      name,
      line,
      tolerance,
      output: output(actual, type),
      expected: this.#constants.get(expected)?.read() ?? output(expected, type),
    };
  }

  /** The constant that is an attribute of a check. */
  #constantOfCheck({ at, end }: OperationText, name: string): ConstantText | undefined {
    const mlir = this.#mlir;
    const dense = range(at, end).find((i) => mlir.is(i, 'dense') && mlir.is(i + 1, '<'));
    if (dense === undefined) return undefined;
    const constant = this.#dense(dense);
    if (!constant) throw mlir.error(dense, `expected ${name} with elements that arrays have`);
    return constant;
  }

  /** The type of the first operand, after the last colon. */
  #typeOfCheck({ at, end }: OperationText): string {
    const mlir = this.#mlir;
    let colon = -1;
    for (let i = at; i < end; i = mlir.next(i)) if (mlir.is(i, ':')) colon = i;
    if (colon < 0) throw mlir.error(at, 'expected ":" and the types of the operands');
    return this.#typeAt(mlir.is(colon + 1, '(') ? colon + 2 : colon + 1);
  }

  #attributes({ at, end }: OperationText): CheckAttributes {
    const mlir = this.#mlir;
    const found: Partial<Record<(typeof CHECK_ATTRIBUTES)[number], number>> = {};
    for (let i = at; i < end; i++) {
      const name = CHECK_ATTRIBUTES.find((one) => mlir.is(i, one));
      if (name === undefined) continue;
      const value = Number(mlir.of(i + 2));
      if (!mlir.is(i + 1, '=') || !Number.isFinite(value)) throw mlir.expected(i + 2, `a number for ${name}`);
      found[name] = value;
    }
    return found;
  }

  /** What computes an output, where that is a single operation on inputs. */
  #withOperation(
    check: RecordedCheck,
    output: string,
    computing: readonly OperationText[],
    inputs: ReadonlyMap<string, number>,
  ): RecordedCheck {
    const [only, ...others] = computing;
    if (!only || others.length > 0 || only.results.length !== 1 || only.results[0]!.name !== output) return check;
    if (this.#furtherLine(only) !== undefined) return check;
    const operands = valuesIn(this.#mlir, only).map(({ name }) => inputs.get(name));
    if (!/^(stablehlo|chlo)\./.test(only.name) || operands.some((operand) => operand === undefined)) return check;
    return { ...check, operation: { name: only.name.replace(/^\w+\./, ''), inputs: operands as number[] } };
  }

  #edited(edits: Edit[]): string {
    const { text } = this.#mlir;
    const pieces: string[] = [];
    let at = 0;
    for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
      if (edit.start < at) throw this.#mlir.error(0, 'operations that overlap');
      pieces.push(text.slice(at, edit.start), edit.text);
      at = edit.end;
    }
    pieces.push(text.slice(at));
    const { name } = this.#function;
    const joined = pieces.join('');
    return name === '@main' ? joined : joined.replaceAll(new RegExp(`${escaped(name)}(?![\\w$.-])`, 'g'), '@main');
  }
}

/** A line that ends so goes on in the next. */
const CONTINUING = [',', ':', '=', '->'];

const escaped = (name: string): string => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const isConstant = ({ name }: OperationText): boolean => name === 'stablehlo.constant' || name === 'constant';

/** `%0#1` cannot be defined alone. */
const fixedName = (name: string): string => name.replace('#', '_recorded_');

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);
