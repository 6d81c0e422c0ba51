import type { ExpectedError } from '../../suite/types.ts';
import type { Calls } from '../pjrt/calls.ts';
import { PjrtError } from '../pjrt/errors.ts';
import type { CaseContext } from './context.ts';
import { CheckFailure } from './outcome.ts';

/**
 * Makes native calls that must fail with a given error, or, without an expectation, must succeed (the PjrtError passes on).
 * @returns the error that came, undefined when none was expected
 */
export function* expectingError<T>(
  context: CaseContext,
  expected: ExpectedError | undefined,
  call: string,
  calls: Calls<T>,
): Calls<{ error: PjrtError } | { value: T }> {
  if (expected === undefined) return { value: yield* calls };
  let value: T;
  try {
    value = yield* calls;
  } catch (error) {
    if (!(error instanceof PjrtError) || isAbsence(context, expected, error)) throw error;
    checkError(context, expected, error);
    return { error };
  }
  if (typeof expected !== 'string' && expected.or === 'success') return { value };
  throw missingError(expected, call);
}

/** Whether the error says that the function is not offered, and not that the arguments are wrong. */
const isAbsence = (context: CaseContext, expected: ExpectedError, { call, codeName }: PjrtError): boolean =>
  codeName === 'UNIMPLEMENTED' &&
  !context.case.demands?.includes(call) &&
  wanted(expected) !== codeName &&
  (typeof expected === 'string' || expected.should !== codeName);

const wanted = (expected: ExpectedError): string => (typeof expected === 'string' ? expected : expected.must);

/** The finding about a call that should have failed. */
export function missingError(expected: ExpectedError, call: string): CheckFailure {
  const code = wanted(expected);
  return new CheckFailure({
    type: 'pjrt.MissingError',
    message: `${call} succeeded, expected ${code === 'any' ? 'an error' : `the error ${code}`}`,
    call,
  });
}

/** Compares an error with what the suite wants; a code that only SHOULD be so becomes a warning. */
export function checkError(context: CaseContext, expected: ExpectedError, error: PjrtError): void {
  const must = wanted(expected);
  if (must !== 'any' && error.codeName !== must) {
    throw new CheckFailure({
      type: 'pjrt.WrongError',
      message: `${error.call} returned ${error.codeName}, expected ${must}`,
      detail: `message: ${error.text}`,
      call: error.call,
    });
  }
  if (typeof expected === 'string') return;
  if (expected.should !== undefined && error.codeName !== expected.should) {
    context.report({
      type: 'pjrt.WrongError',
      level: 'should',
      message: `${error.call} returned ${error.codeName}, ${expected.should} is what frameworks expect`,
      detail: `message: ${error.text}`,
      call: error.call,
    });
  }
  for (const [key, value] of Object.entries(expected.payload ?? {})) {
    const found = error.payloads.filter((payload) => payload.key === key).map((payload) => payload.value);
    if (found.length === 1 && found[0] === value) continue;
    throw new CheckFailure({
      type: 'pjrt.WrongError',
      message: `the error of ${error.call} has ${JSON.stringify(found)} as payloads ${JSON.stringify(key)}, expected one, ${JSON.stringify(value)}`,
      call: error.call,
    });
  }
  if (expected.message !== undefined && !error.text.includes(expected.message)) {
    throw new CheckFailure({
      type: 'pjrt.WrongError',
      message: `the message of the error of ${error.call} does not contain ${JSON.stringify(expected.message)}`,
      detail: `message: ${error.text}`,
      call: error.call,
    });
  }
}
