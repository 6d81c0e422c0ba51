import { NotInVersionError } from '../../knowledge/abi/index.ts';
import { beginWrongCall, endWrongCall } from '../ffi/wrong-calls.ts';

/** A payload from PJRT_Error_ForEachPayload. */
export interface ErrorPayload {
  key: string;
  value: string;
}

/** The plugin returned an error. The native error is read and destroyed before this is thrown. */
export class PjrtError extends Error {
  override name = 'PjrtError';
  readonly call: string;
  readonly code: number;
  /** `INVALID_ARGUMENT`, or `code 77` outside the known range. */
  readonly codeName: string;
  readonly text: string;
  readonly payloads: readonly ErrorPayload[];
  /** The plugin that returned it, by the name that the run has for it. */
  plugin: string | undefined;

  constructor(call: string, code: number, codeName: string, text: string, payloads: readonly ErrorPayload[]) {
    super(`${call}: ${codeName}: ${text}`);
    this.call = call;
    this.code = code;
    this.codeName = codeName;
    this.text = text;
    this.payloads = payloads;
  }
}

/** The error of a call, undefined if it succeeds. Anything else that it throws is thrown. */
export function errorOf(run: () => unknown): PjrtError | undefined {
  beginWrongCall();
  try {
    run();
    return undefined;
  } catch (error) {
    return asPjrtError(error);
  } finally {
    endWrongCall();
  }
}

/** The same of a call on another thread. */
export async function errorOfAsync(running: Promise<unknown>): Promise<PjrtError | undefined> {
  beginWrongCall();
  try {
    await running;
    return undefined;
  } catch (error) {
    return asPjrtError(error);
  } finally {
    endWrongCall();
  }
}

function asPjrtError(error: unknown): PjrtError {
  if (error instanceof PjrtError) return error;
  throw error;
}

/** Why a function cannot be called at all. */
export type Absence = 'not in this version' | 'past struct_size' | 'NULL';

/** The function or extension does not exist; nothing was called. */
export class AbsentError extends Error {
  override name = 'AbsentError';
  readonly function: string;
  readonly absence: Absence;

  constructor(name: string, absence: Absence, message: string) {
    super(message);
    this.function = name;
    this.absence = absence;
  }
}

/** Why a plugin's table cannot be used. */
export type ApiProblem = 'no-entry-point' | 'no-table' | 'short-table' | 'major-version' | 'old-version';

/** The plugin's table or version cannot be used. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly problem: ApiProblem;

  constructor(problem: ApiProblem, message: string) {
    super(message);
    this.problem = problem;
  }

  get stage(): 'load' | 'version' {
    return this.problem === 'major-version' || this.problem === 'old-version' ? 'version' : 'load';
  }
}

/** The plugin returned OK with an impossible result: a list of five at NULL, a string of terabytes. */
export class BadDataError extends Error {
  override name = 'BadDataError';
  /** After the name of the call: `returned 5 named values behind a NULL pointer`. */
  readonly what: string;
  readonly call: string | undefined;

  /** @param call if it is not the one that returned last */
  constructor(what: string, call?: string) {
    super(`${call ?? 'the plugin'} ${what}`);
    this.what = what;
    this.call = call;
  }
}

/** A call that is not made, because the process has ended in it each time it was. */
export class AvoidedError extends Error {
  override name = 'AvoidedError';
  readonly call: string;

  constructor(call: string) {
    super(`${call} has never returned, and several cases have ended in it: it is not called again`);
    this.call = call;
  }
}

/** Whether an error is about the plugin; any other is one of the harness itself. */
export const isAboutPlugin = (error: unknown): error is Error =>
  error instanceof PjrtError ||
  error instanceof AbsentError ||
  error instanceof AvoidedError ||
  error instanceof ApiError ||
  error instanceof BadDataError ||
  error instanceof NotInVersionError;
