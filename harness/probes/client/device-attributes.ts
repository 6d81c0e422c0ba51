import { deleterOf } from '../../pjrt/deleter.ts';
import type { Device } from '../../pjrt/device.ts';
import { type NamedValue, readNamedValues } from '../../pjrt/named-values.ts';
import type { CaseContext } from '../../steps/context.ts';
import { same } from '../../steps/predicate.ts';
import type { Probe } from '../../steps/steps.ts';
import { checkType } from './device-descriptions.ts';
import { broken, choice } from './support.ts';

const FUNCTION = 'PJRT_Device_GetAttributes';

interface Attributes {
  read(): NamedValue[];
  free(): void;
}

/** Attributes of a device are handed out with a holder and its deleter; each set is the caller's own. */
export const deviceAttributes: Probe = (context, options) => {
  const rule = choice(options, 'rule', ['deleter', 'lifetime', 'types']);
  for (const device of context.client.addressableDevices()) {
    const first = ask(context, device);
    if (rule === 'types') for (const attribute of first.read()) checkType(attribute, FUNCTION);
    if (rule === 'lifetime') {
      const before = first.read().map(plain);
      const second = ask(context, device);
      second.free();
      if (!same(first.read().map(plain), before))
        broken('attributes changed when another set of them was deleted', FUNCTION);
    }
    first.free();
    const again = ask(context, device);
    again.read();
    again.free();
  }
};

function ask(context: CaseContext, device: Device): Attributes {
  const { api } = context;
  return api.invoke(
    FUNCTION,
    (call) => call.setWord('device', device.pointer),
    (call) => {
      const [address, count] = [call.word('attributes'), call.count('attributes')];
      const free = deleterOf(context.instrument, call, 'device_attributes');
      if (!free) broken('attributes came without a deleter; frameworks abort without one', FUNCTION, 'DEV-ATT-001');
      return { read: () => readNamedValues(api, address, count), free };
    },
  );
}

const plain = (value: NamedValue): unknown[] => [value.name, value.type, value.value];
