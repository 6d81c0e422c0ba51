import type { PjrtApi } from '../../pjrt/api.ts';
import { PjrtError } from '../../pjrt/errors.ts';
import { pointersOf } from '../../pjrt/strings.ts';
import type { Probe } from '../../steps/steps.ts';
import { broken } from './support.ts';

/** A question to which frameworks take an answer or UNIMPLEMENTED; any other error makes them abort. */
export const listOrUnimplemented: Probe = (context, options) => {
  const name = String(options.function);
  const [[field, reference]] = Object.entries(options.on as Record<string, string>) as [[string, string]];
  const subject = context.resolve(reference) as { pointer: bigint; api: PjrtApi };
  try {
    subject.api.invoke(
      name,
      (call) => call.setWord(field, subject.pointer),
      (call) => {
        if (typeof options.handle === 'string') {
          if (call.word(options.handle) === 0n) broken(`${name} succeeded, but its ${options.handle} is NULL`, name);
        } else {
          const list = String(options.list);
          const pointers = pointersOf(call, list);
          if (pointers.includes(0n)) broken(`an entry of the ${list} of ${name} is NULL`, name);
        }
      },
    );
  } catch (error) {
    if (!(error instanceof PjrtError) || error.codeName === 'UNIMPLEMENTED') throw error;
    broken(
      `${name} answered ${error.codeName}; frameworks accept only UNIMPLEMENTED as "not offered"`,
      name,
      undefined,
      {
        type: 'pjrt.WrongError',
        detail: `message: ${error.text}`,
      },
    );
  }
};
