import { CheckFailure } from '../../steps/outcome.ts';
import { probe } from '../probe.ts';
import { readError } from './error-contract.ts';
import { provokeAnyError } from './provoke-error.ts';
import { callForError } from './raw-error.ts';

const INVALID_ARGUMENT = 3;

/** Payloads cannot be shown to nobody: that is an error, with a code that says so. */
export const errorWithoutVisitor = probe('error-without-visitor', {}, (context) => {
  const error = context.scope.own(provokeAnyError(context));
  context.bind('error', error);
  const refusal = callForError(context, 'PJRT_Error_ForEachPayload', { error: '$error', visitor: null });
  const fail = (message: string): never => {
    throw new CheckFailure({ type: 'pjrt.MissingError', message, call: 'PJRT_Error_ForEachPayload' });
  };
  if (!refusal) return fail('PJRT_Error_ForEachPayload succeeded without a visitor');
  const { code } = readError(context, context.scope.own(refusal));
  if (code !== INVALID_ARGUMENT)
    fail(`PJRT_Error_ForEachPayload without a visitor returned the code ${code}, expected 3`);
});
