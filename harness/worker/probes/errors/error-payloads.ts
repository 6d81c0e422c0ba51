import type { Buffer } from '../../pjrt/buffer.ts';
import { errorOf } from '../../pjrt/errors.ts';
import { makeNamedValues } from '../../pjrt/named-values.ts';
import type { CaseContext } from '../../steps/context.ts';
import { lacksHelper } from '../../steps/outcome.ts';
import { callForError } from '../../steps/raw-error.ts';
import { createdIn, runValidCall } from '../../steps/run-valid-call.ts';
import { probe } from '../probe.ts';
import { violated } from '../support/checks.ts';
import { inspectPayloads } from './error-contract.ts';

const NAME = 'PJRT_Client_CreateErrorBuffer';
const PAYLOADS = { 'conformance.first': 'one', 'conformance.second': 'two' };
const OTHER_PAYLOADS = { 'conformance.third': 'three' };

/**
 * Payloads that the caller gives an error come back from it: each once, with key and value. Two errors with different payloads
 * are alive at once.
 */
export const errorPayloads = probe('error-payloads', {}, (context) => {
  const errors = [PAYLOADS, OTHER_PAYLOADS].map((payloads) => ({ payloads, buffer: errorBuffer(context, payloads) }));
  for (const { payloads, buffer } of errors) {
    const status = errorOf(() => buffer.awaitReady());
    expectPayloads(
      payloads,
      (status?.payloads ?? []).map((p) => `${p.key}=${p.value}`),
    );
  }
  // None is destroyed before the last was read.
  for (const [i, { buffer }] of errors.entries()) {
    const event = context.scope.own(buffer.readyEvent());
    context.bind(`event_of_error_${i}`, event);
    const raw = callForError(context, 'PJRT_Event_Await', { event: `$event_of_error_${i}` });
    if (raw) expectKeys(errors[i]!.payloads, inspectPayloads(context, context.scope.own(raw)));
  }
});

type Payloads = Readonly<Record<string, string>>;

function errorBuffer(context: CaseContext, payloads: Payloads): Buffer {
  const answer = runValidCall(context, NAME, {
    before: (call) => {
      const payload = makeNamedValues(
        context.api,
        context.arena,
        Object.fromEntries(Object.entries(payloads).map(([key, value]) => [key, { kind: 'string', value }])),
      );
      call.setWord('payload', payload.address);
      call.setSize('num_payload', payload.count);
    },
  });
  if (answer.error) throw lacksHelper(answer.error);
  return createdIn(answer, NAME, 'buffer');
}

const expectKeys = (payloads: Payloads, got: readonly string[]): void => compare(Object.keys(payloads), got);

const expectPayloads = (payloads: Payloads, got: readonly string[]): void =>
  compare(
    Object.entries(payloads).map(([key, value]) => `${key}=${value}`),
    got,
  );

function compare(wanted: readonly string[], got: readonly string[]): void {
  if ([...got].sort().join() === [...wanted].sort().join()) return;
  violated(
    `an error made with the payloads ${wanted.join(', ')} has ${got.length === 0 ? 'none' : got.join(', ')}`,
    'PJRT_Error_ForEachPayload',
    undefined,
    'pjrt.ErrorContract',
  );
}
