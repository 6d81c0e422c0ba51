import { statusOf } from '../../pjrt/event.ts';
import type { Probe } from '../../steps/steps.ts';
import { broken, option } from './support.ts';

/** A buffer's error carries a payload. Options: `buffer`, `key`, `value`. */
export const errorPayload: Probe = async (context, options) => {
  const buffer = context.resolveBuffer(option(options, 'buffer', '$x'));
  const status = await statusOf(context.scope.own(buffer.readyEvent()));
  if (!status) broken('a buffer made to fail became ready without an error', 'PJRT_Buffer_ReadyEvent', 'BUF-ERRB-001');
  const found = status.payloads.filter((p) => p.key === option(options, 'key', ''));
  if (found.length !== 1)
    broken(`the payload was visited ${found.length} times`, 'PJRT_Error_ForEachPayload', 'BUF-ERRB-004');
  if (found[0]!.value !== option(options, 'value', ''))
    broken('the payload has a different value', 'PJRT_Error_ForEachPayload', 'BUF-ERRB-004');
};
