import type { Cause, Finding } from '../../model/finding.ts';
import { type AbsentError, PjrtError } from '../pjrt/errors.ts';

/** A check of the case did not hold: the case ends here, with this finding. */
export class CheckFailure extends Error {
  override name = 'CheckFailure';
  readonly finding: Omit<Finding, 'level'> & { level?: Finding['level'] };

  constructor(finding: Omit<Finding, 'level'> & { level?: Finding['level'] }) {
    super(finding.message);
    this.finding = finding;
  }
}

/** The plugin does not have what the case is about: nothing was proven either way. */
export class NotSupported extends Error {
  override name = 'NotSupported';
  /** The one thing that is missing, where it is one. */
  override readonly cause: Cause | undefined;

  constructor(message: string, cause?: Cause) {
    super(message);
    this.cause = cause;
  }
}

/** The suite asks for something that makes no sense: an internal error, not one of the plugin. */
export class SuiteFault extends Error {
  override name = 'SuiteFault';
}

/** The cause behind an error: a function that is not offered, or a failure that another case reports. */
export function causeOf(error: PjrtError): Cause {
  const { call, codeName } = error;
  const said = firstLine(error.text);
  const message = said === '' ? {} : { message: said };
  return codeName === 'UNIMPLEMENTED'
    ? { kind: 'unimplemented', call, ...message }
    : { kind: 'failed', call, code: codeName, ...message };
}

/** What is missing where a function cannot be called at all. */
export const causeOfAbsence = ({ function: call, absence }: AbsentError): Cause => ({
  kind: absence === 'NULL' ? 'null' : 'absent',
  call,
});

/** `PJRT_Buffer_Memory returns UNIMPLEMENTED: …` */
export const answerOf = ({ call, codeName, text }: PjrtError): string =>
  [`${call} returns ${codeName}`, firstLine(text)].filter(Boolean).join(': ');

/** A call that the case only needs as a means has failed: the case proves nothing, and a different one is about that call. */
export const lacksHelper = (error: PjrtError): NotSupported =>
  new NotSupported(`needs ${error.call}: ${answerOf(error)}`, causeOf(error));

/** Answers that mean "not this one", where a plugin may choose what it takes. */
const REFUSALS: readonly string[] = ['UNIMPLEMENTED', 'INVALID_ARGUMENT'];

/** Functions that compile. */
const COMPILERS: readonly string[] = ['PJRT_Client_Compile', 'PJRT_Compile'];

/**
 * Whether the plugin refused what it was asked for, and did not fail at it. UNKNOWN, too, refuses a program: XLA returns it where
 * MLIR diagnoses the program, because diagnostics have no code. INTERNAL and others say that the compiler failed.
 */
export const isRefusal = (error: unknown): error is PjrtError =>
  error instanceof PjrtError &&
  (REFUSALS.includes(error.codeName) || (error.codeName === 'UNKNOWN' && COMPILERS.includes(error.call)));

/** What to throw when something that a plugin may refuse has failed: a refusal makes the case unsupported, anything else stays. */
export const refusal = (error: unknown, what: string): unknown =>
  isRefusal(error) ? new NotSupported(`${what}: ${answerOf(error)}`, causeOf(error)) : error;

export const firstLine = (text: string): string => text.split('\n', 1)[0]!;
