import type { CaseContext } from '../../../steps/context.ts';
import { violated } from '../../support/checks.ts';
import { type CallFrame, EXECUTE } from './call-frame.ts';

const FAILED_PRECONDITION = 9;
const MESSAGE = 'the handler has no umbrella';

/** The error with which handlers fail. */
export const fail = (frame: CallFrame): bigint => frame.error(FAILED_PRECONDITION, MESSAGE);

/** Ends the case unless an execution has failed as its handler did. */
export function expectFailure(context: CaseContext, error: { codeName: string; text: string } | undefined): void {
  if (!error) violated('the execution succeeded although its handler returned an error', EXECUTE, 'EXT-FFI-005');
  if (!error!.text.includes(MESSAGE)) {
    violated('the message of the error that a handler made is not that of the execution', EXECUTE, 'EXT-FFI-005', {
      detail: `message: ${error!.text}`,
    });
  }
  if (error!.codeName !== 'FAILED_PRECONDITION') {
    context.report({
      type: 'pjrt.WrongError',
      message: `a handler failed with FAILED_PRECONDITION, the execution with ${error!.codeName}`,
      call: EXECUTE,
      requirements: ['EXT-FFI-006'],
    });
  }
}
