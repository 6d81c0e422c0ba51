import { readBytes } from '../../ffi/memory.ts';
import type { Buffer as PjrtBuffer } from '../../pjrt/buffer.ts';
import { Client } from '../../pjrt/client.ts';
import type { ErrorPayload } from '../../pjrt/errors.ts';
import { makeNamedValues } from '../../pjrt/named-values.ts';
import type { CaseContext } from '../../steps/context.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { PROVOCATIONS, provokeError } from '../../steps/provoke-error.ts';
import { callForError, type RawError } from '../../steps/raw-error.ts';
import { createdIn, runValidCall } from '../../steps/run-valid-call.ts';
import { list, oneOf, probe } from '../probe.ts';
import { violated } from '../support/checks.ts';
import { type ErrorImage, readError, readPayloads } from './error-contract.ts';

const ERROR_BUFFER = 'PJRT_Client_CreateErrorBuffer';

/** A living error, and what it said at first. */
export interface Witness {
  error: RawError;
  image: ErrorImage;
  payloads: ErrorPayload[];
}

/** Several errors live at the same time, and their equals end. Each says to the end what it said when no later one existed. */
export const errorsSideBySide = probe(
  'errors-side-by-side',
  { from: list(oneOf(...Object.keys(PROVOCATIONS))) },
  (context, { from }) => {
    const witnesses: Witness[] = [];
    const hear = (error: RawError | undefined): void => {
      if (!error) return;
      witnesses.push(witnessOf(context, error));
    };
    for (const name of from) hear(provokeUnlessAbsent(context, name));
    for (const cause of ['first', 'second']) hear(errorWithPayload(context, cause));
    if (witnesses.length < 2) throw new NotSupported('the plugin lets all but one of these calls pass');
    for (const name of from) endEqual(context, name);
    for (const witness of witnesses) demandSame(context, witness, 'since later errors arose and ended');
  },
);

/** What an error says now. The case owns the error. */
export function witnessOf(context: CaseContext, error: RawError): Witness {
  context.scope.own(error);
  return { error, image: readError(context, error), payloads: payloadsOf(context, error) };
}

/** One more error of a wrong call, which is read and destroyed. */
function endEqual(context: CaseContext, name: string): void {
  const equal = provokeUnlessAbsent(context, name);
  if (!equal) return;
  context.scope.own(equal);
  readError(context, equal);
  equal.destroy();
}

const provokeUnlessAbsent = (context: CaseContext, name: string): RawError | undefined => {
  try {
    return provokeError(context, name);
  } catch (error) {
    if (error instanceof NotSupported) return undefined;
    throw error;
  }
};

const payloadsOf = (context: CaseContext, error: RawError): ErrorPayload[] =>
  context.api.has('PJRT_Error_ForEachPayload') ? readPayloads(context, error) : [];

/** An error with a payload, the only kind that a consumer can cause. @returns undefined if the plugin cannot make it */
function errorWithPayload(context: CaseContext, cause: string): RawError | undefined {
  const hasClient = context.case.client === 'shared' && context.subjects[0]!.client instanceof Client;
  if (!hasClient || !context.api.has(ERROR_BUFFER) || context.api.sharedMinor < 103) return undefined;
  const answer = runValidCall(context, ERROR_BUFFER, {
    before: (call) => {
      const value = { kind: 'string', value: `the ${cause} one` } as const;
      const payload = makeNamedValues(context.api, context.arena, { [`conformance.${cause}`]: value });
      call.setWord('payload', payload.address);
      call.setSize('num_payload', payload.count);
    },
  });
  if (answer.error) return undefined;
  const event = context.scope.own(createdIn<PjrtBuffer>(answer, ERROR_BUFFER, 'buffer').readyEvent());
  context.bind('event_of_error', event);
  return callForError(context, 'PJRT_Event_Await', { event: '$event_of_error' });
}

/** Ends the case when an error says something else. @param since what has happened meanwhile */
export function demandSame(context: CaseContext, { error, image, payloads }: Witness, since: string): void {
  const changed = (what: string, call: string, requirement: string): never =>
    violated(`${what} of an error of ${error.from} is another one ${since}`, call, requirement, {
      type: 'pjrt.ErrorContract',
    });
  const { messagePointer, message, code } = image;
  // The memory first: reading the message again may put it back.
  const held = messagePointer === 0n ? message : readBytes(messagePointer, message.length);
  if (Buffer.compare(held, message) !== 0) changed('the message', 'PJRT_Error_Message', 'ERR-MSG-001');
  const now = readError(context, error);
  if (now.code !== code) changed('the code', 'PJRT_Error_GetCode', 'ERR-CODE-001');
  if (Buffer.compare(now.message, message) !== 0) changed('the message', 'PJRT_Error_Message', 'ERR-MSG-001');
  const text = (list: readonly ErrorPayload[]): string => list.map(({ key, value }) => `${key}=${value}`).join('\n');
  if (text(payloadsOf(context, error)) !== text(payloads)) {
    changed('a payload', 'PJRT_Error_ForEachPayload', 'ERR-PAY-001');
  }
}
