import { errorOf } from '../../pjrt/errors.ts';
import type { Probe } from '../../steps/steps.ts';
import { broken } from './support.ts';

const FUNCTION = 'PJRT_Client_LookupDevice';

/** The number after the greatest id of a device finds nothing. */
export const lookupAfterLast: Probe = ({ api, client }) => {
  const next = Math.max(...client.devices().map((d) => d.id())) + 1;
  const error = errorOf(() =>
    api.invoke(FUNCTION, (call) => {
      call.setWord('client', client.pointer);
      call.setInt('id', next);
    }),
  );
  if (!error) broken(`${FUNCTION} found a device with an id greater than that of any device`, FUNCTION);
};
