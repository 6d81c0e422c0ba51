import type { Buffer } from '../../pjrt/buffer.ts';
import { errorOf } from '../../pjrt/errors.ts';
import { makeNamedValues } from '../../pjrt/named-values.ts';
import { CheckFailure, lacksHelper } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { inspectPayloads } from './error-contract.ts';
import { callForError } from './raw-error.ts';
import { runSoundCall } from './run-sound-call.ts';

const NAME = 'PJRT_Client_CreateErrorBuffer';
const PAYLOADS = { 'conformance.first': 'one', 'conformance.second': 'two' };

/** Payloads that the caller gives an error come back from it: each once, with key and value. */
export const errorPayloads: Probe = (context) => {
  const { error, outputs } = runSoundCall(context, NAME, {
    before: (call) => {
      const payload = makeNamedValues(
        context.api,
        context.arena,
        Object.fromEntries(Object.entries(PAYLOADS).map(([key, value]) => [key, { kind: 'string', value }])),
      );
      call.setWord('payload', payload.address);
      call.setSize('num_payload', payload.count);
    },
  });
  if (error) throw lacksHelper(error);
  const buffer = outputs.get('buffer') as Buffer;
  const status = errorOf(() => buffer.awaitReady());
  const got = (status?.payloads ?? []).map((p) => `${p.key}=${p.value}`).sort();
  const wanted = Object.entries(PAYLOADS).map(([key, value]) => `${key}=${value}`);
  if (got.join() !== wanted.join()) {
    throw new CheckFailure({
      type: 'pjrt.ErrorContract',
      message: `an error made with the payloads ${wanted.join(', ')} has ${got.length === 0 ? 'none' : got.join(', ')}`,
      call: 'PJRT_Error_ForEachPayload',
    });
  }
  const event = context.scope.own(buffer.readyEvent());
  context.bind('event_of_error', event);
  const raw = callForError(context, 'PJRT_Event_Await', { event: '$event_of_error' });
  if (raw) inspectPayloads(context, context.scope.own(raw));
};
