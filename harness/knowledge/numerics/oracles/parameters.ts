/** Common parts of all oracles: the error, the registry entry, and readers of `with`. */
import { suggestion } from '../../../base/did-you-mean.ts';
import type { HostArray } from '../array.ts';

/** An oracle was misused, or its result is not exact: a mistake of the suite or the harness, never of a plugin. */
export class OracleError extends Error {
  override name = 'OracleError';
}

/** Parameters of an oracle. */
export type Parameters = Record<string, unknown>;

/** An exact reference operation. */
export type Oracle = (args: HostArray[], parameters: Parameters) => HostArray;

/** Wraps an operation so that wrong operand counts and misspelt parameters are rejected by name. */
export function oracle(
  name: string,
  operands: number | { min: number; max?: number },
  keys: readonly string[],
  compute: Oracle,
): [string, Oracle] {
  const { min, max = Number.POSITIVE_INFINITY } =
    typeof operands === 'number' ? { min: operands, max: operands } : operands;
  const checked: Oracle = (args, parameters = {}) => {
    if (args.length < min || args.length > max) {
      const want = min === max ? `${min}` : max === Number.POSITIVE_INFINITY ? `at least ${min}` : `${min} to ${max}`;
      throw new OracleError(`oracle ${name} takes ${want} operands, got ${args.length}`);
    }
    for (const key of Object.keys(parameters)) {
      if (keys.includes(key)) continue;
      throw new OracleError(`oracle ${name} has no parameter ${JSON.stringify(key)}${suggestion(key, keys)}`);
    }
    try {
      return compute(args, parameters);
    } catch (error) {
      throw new OracleError(`oracle ${name}: ${(error as Error).message}`, { cause: error });
    }
  };
  return [name, checked];
}

/** A list of integers from `with`, or `fallback`. */
export function integers(parameters: Parameters, key: string, fallback?: readonly number[]): readonly number[] {
  const value = parameters[key] ?? fallback;
  if (Array.isArray(value) && value.every((n) => Number.isInteger(n))) return value;
  throw new OracleError(`"${key}" must be a list of integers, got ${JSON.stringify(value)}`);
}

/** One integer from `with`. */
export function integer(parameters: Parameters, key: string, fallback?: number): number {
  const value = parameters[key] ?? fallback;
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  throw new OracleError(`"${key}" must be an integer, got ${JSON.stringify(value)}`);
}

/** One of several words from `with`. */
export function word<T extends string>(parameters: Parameters, key: string, words: readonly T[], fallback?: T): T {
  const value = parameters[key] ?? fallback;
  if (words.includes(value as T)) return value as T;
  throw new OracleError(`"${key}" must be one of ${words.join(', ')}, got ${JSON.stringify(value)}`);
}

/** Throws unless the condition holds; the message says what was expected. */
export function demand(holds: boolean, message: string): asserts holds {
  if (!holds) throw new OracleError(message);
}
