import { deleterOf } from '../../pjrt/deleter.ts';
import type { Device } from '../../pjrt/device.ts';
import { type NamedValue, readNamedValues } from '../../pjrt/named-values.ts';
import type { CaseContext } from '../../steps/context.ts';
import { same } from '../../steps/predicate.ts';
import type { Probe } from '../../steps/steps.ts';
import { broken, choice } from './support.ts';

const FUNCTION = 'PJRT_Device_GetAttributes';

const NAMED_VALUE_TYPES = ['string', 'int64', 'int64 list', 'float', 'bool'];
/** PJRT_NamedValue types that XLA's client takes in device attributes: string, int64, int64 list. */
const ALLOWED_TYPES = 3;

interface Attributes {
  read(): NamedValue[];
  free(): void;
}

/** Attributes of a device are returned with a holder and its deleter; the caller owns each set. */
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

/** Ends the case when an attribute is of a type on which frameworks abort. */
function checkType(attribute: NamedValue, call: string): void {
  if (attribute.type >= 0 && attribute.type < ALLOWED_TYPES) return;
  const type = NAMED_VALUE_TYPES[attribute.type] ?? `number ${attribute.type}`;
  broken(
    `the attribute ${JSON.stringify(attribute.name)} is of the type ${type}; frameworks take strings, integers and lists of integers only`,
    call,
  );
}
