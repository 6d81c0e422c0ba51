import type { StepBody } from '../../suite/types.ts';
import { formOf } from './call-forms.ts';
import { checkFields } from './checked-fields.ts';
import type { CaseContext } from './context.ts';
import { checkError } from './expected-error.ts';
import { tryOlderStructs } from './older-structs.ts';
import { CheckFailure } from './outcome.ts';
import { control, runValidCall } from './run-valid-call.ts';

type ValidCallStep = Extract<StepBody, { verb: 'valid-call' }>;

/** `valid-call`: a function with arguments that nobody can object to, as callers send them or in another form. */
export function validCall(context: CaseContext, step: ValidCallStep): void {
  const { function: name, struct, fields } = step;
  if (fields) checkFields(context, name);
  else if (struct === 'older') tryOlderStructs(context, name);
  else callOnce(context, step);
}

function callOnce(context: CaseContext, step: ValidCallStep): void {
  const { function: name, mayFail, error: expected } = step;
  const form = formOf(context, step);
  if (form) control(context, name);
  const { error } = runValidCall(context, name, form);
  form?.check?.();
  if (!error) return;
  if (form && !mayFail) {
    throw new CheckFailure({
      type: 'pjrt.UnexpectedError',
      message: `${name} returned ${error.codeName} ${form.what}; in the usual form it succeeds`,
      detail: `message: ${error.text}`,
      call: name,
    });
  }
  // Without another form that says that the function is not offered.
  if (!form && error.codeName === 'UNIMPLEMENTED' && expected === undefined) throw error;
  if (expected !== undefined) checkError(context, expected, error);
  else if (!mayFail) throw error;
}
