import type { ExpectedError } from '../../suite/types.ts';
import { beginWrongCall, endWrongCall } from '../ffi/wrong-calls.ts';
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
  context.instrument.recording?.expects(call, wanted(expected));
  beginWrongCall();
  try {
    value = yield* calls;
  } catch (error) {
    if (!(error instanceof PjrtError) || isAbsence(context, expected, error)) throw error;
    checkError(context, expected, error);
    return { error };
  } finally {
    endWrongCall();
  }
  if (typeof expected !== 'string' && expected.or === 'success') return { value };
  throw missingError(expected, call, context.readyEarly);
}

/** Whether the error says that the function is not offered, and not that the arguments are wrong. */
const isAbsence = (context: CaseContext, expected: ExpectedError, { call, codeName }: PjrtError): boolean =>
  codeName === 'UNIMPLEMENTED' &&
  !context.case.demands?.includes(call) &&
  wanted(expected) !== codeName &&
  (typeof expected === 'string' || expected.should !== codeName);

const wanted = (expected: ExpectedError): string => (typeof expected === 'string' ? expected : expected.must);

/** The finding about a call that should have failed. @param early what it waited for was ready before it got the error */
export function missingError(expected: ExpectedError, call: string, early = false): CheckFailure {
  const what = wanted(expected) === 'any' ? 'an error' : `the error ${wanted(expected)}`;
  const message = `${call} succeeded, expected ${what}`;
  if (!early) return new CheckFailure({ type: 'pjrt.MissingError', message, call });
  return new CheckFailure({
    type: 'pjrt.EventContract',
    message: `an event was ready before it was given the error in which it should end, so ${message}`,
    call: 'PJRT_Event_IsReady',
  });
}

/** Compares an error with what the suite wants; a code that only SHOULD be so becomes a warning, one that only is usual a note. */
export function checkError(context: CaseContext, expected: ExpectedError, error: PjrtError): void {
  const must = wanted(expected);
  const { call, codeName } = error;
  const wrong = (message: string) => ({ type: 'pjrt.WrongError', message, detail: `message: ${error.text}`, call });
  if (must !== 'any' && codeName !== must)
    throw new CheckFailure(wrong(`${call} returned ${codeName}, expected ${must}`));
  if (typeof expected === 'string') return;
  for (const [code, word, level] of [
    [expected.should, 'expected', 'should'],
    [expected.usual, 'usual', 'info'],
  ] as const) {
    if (code !== undefined && codeName !== code)
      context.report({ ...wrong(`${call} returned ${codeName}, ${code} is ${word}`), level });
  }
  for (const [key, value] of Object.entries(expected.payload ?? {})) {
    const found = error.payloads.filter((payload) => payload.key === key).map((payload) => payload.value);
    if (found.length === 1 && found[0] === value) continue;
    const [has, name, one] = [found, key, value].map((part) => JSON.stringify(part));
    const message = `the error of ${call} has ${has} as payloads ${name}, expected one, ${one}`;
    throw new CheckFailure({ type: 'pjrt.WrongError', message, call });
  }
  const without = (text: string) =>
    wrong(`the message of the error of ${call} does not contain ${JSON.stringify(text)}`);
  const { message, mention } = expected;
  if (message !== undefined && !error.text.includes(message)) throw new CheckFailure(without(message));
  if (mention !== undefined && !error.text.includes(mention)) context.report({ ...without(mention), level: 'should' });
}
