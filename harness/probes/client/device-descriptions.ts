import type { DeviceDescription } from '../../pjrt/device.ts';
import type { NamedValue } from '../../pjrt/named-values.ts';
import { readText } from '../../pjrt/strings.ts';
import type { Topology } from '../../pjrt/topology.ts';
import type { CaseContext } from '../../steps/context.ts';
import { SuiteFault } from '../../steps/outcome.ts';
import { same } from '../../steps/predicate.ts';
import type { Probe } from '../../steps/steps.ts';
import { broken } from './support.ts';

type Options = Readonly<Record<string, unknown>>;
type Rule = (context: CaseContext, descriptions: readonly DeviceDescription[], options: Options) => void;

const ATTRIBUTES = 'PJRT_DeviceDescription_Attributes';
const NAMED_VALUE_TYPES = ['string', 'int64', 'int64 list', 'float', 'bool'];
/** PJRT_NamedValue types that XLA's client takes in device attributes: string, int64, int64 list. */
const ALLOWED_TYPES = 3;

/** One rule over the descriptions of all devices of the client, or (`of: topology`) of a topology. */
export const deviceDescriptions: Probe = (context, options) => {
  const rule = RULES[String(options.rule)];
  if (!rule) throw new SuiteFault(`rule is one of ${Object.keys(RULES).join(', ')}`);
  const descriptions =
    options.of === 'topology'
      ? (context.resolve('$topology') as Topology).deviceDescriptions()
      : context.client.devices().map((d) => d.description());
  rule(context, descriptions, options);
};

const RULES: Readonly<Record<string, Rule>> = {
  pointer: (context) => {
    for (const device of context.client.devices()) {
      const [first, second] = [device.description().pointer, device.description().pointer];
      if (first === 0n) broken('the description of a device is NULL', 'PJRT_Device_GetDescription');
      if (first !== second)
        broken('the description of a device differs from call to call', 'PJRT_Device_GetDescription');
    }
  },
  ids: (_, descriptions) => {
    const ids = descriptions.map((d) => d.id());
    const negative = ids.find((id) => id < 0);
    if (negative !== undefined) broken(`a device has the id ${negative}`, 'PJRT_DeviceDescription_Id');
    const twice = ids.find((id, i) => ids.indexOf(id) !== i);
    if (twice !== undefined) broken(`two devices have the id ${twice}`, 'PJRT_DeviceDescription_Id');
  },
  'process-index': (context) => {
    const wanted = context.client.processIndex();
    for (const device of context.client.addressableDevices()) {
      const index = device.description().processIndex();
      if (index !== wanted)
        broken(
          `the addressable device with the id ${device.id()} has the process index ${index}, the client has ${wanted}`,
          'PJRT_DeviceDescription_ProcessIndex',
        );
    }
  },
  text: (context, descriptions, options) => {
    for (const description of descriptions) checkText(context, description, options);
  },
  distinct: (_, descriptions) => {
    const texts = descriptions.map((d) => d.debugString());
    const twice = texts.find((text, i) => texts.indexOf(text) !== i);
    if (twice !== undefined)
      broken(`two devices have the debug string ${JSON.stringify(twice)}`, 'PJRT_DeviceDescription_DebugString');
  },
  'kinds-agree': (_, descriptions) => {
    // Devices that differ in nothing but their numbers are taken for the same hardware.
    const kinds = new Map<string, string>();
    for (const d of descriptions) {
      const look = `${d.debugString().replace(/\d+/g, '#')}|${d
        .attributes()
        .map((a) => a.name)
        .join()}`;
      const before = kinds.get(look);
      if (before !== undefined && before !== d.deviceKind())
        broken(
          `devices that look the same are of the kinds ${JSON.stringify(before)} and ${JSON.stringify(d.deviceKind())}`,
          'PJRT_DeviceDescription_Kind',
        );
      kinds.set(look, d.deviceKind());
    }
  },
  attributes: (_, descriptions) => {
    for (const description of descriptions) {
      const [first, second] = [description.attributes(), description.attributes()];
      if (!same(first.map(plain), second.map(plain)))
        broken(
          `the attributes of the device with the id ${description.id()} differ from one call to the next`,
          ATTRIBUTES,
        );
    }
  },
  'attribute-types': (_, descriptions) => {
    for (const attribute of descriptions.flatMap((d) => d.attributes())) checkType(attribute, ATTRIBUTES);
  },
  'attribute-names': (_, descriptions) => {
    for (const description of descriptions) {
      const names = description.attributes().map((a) => a.name);
      if (names.includes('')) broken('an attribute of a device has no name', ATTRIBUTES);
      const twice = names.find((name, i) => names.indexOf(name) !== i);
      if (twice !== undefined) broken(`a device has the attribute ${JSON.stringify(twice)} twice`, ATTRIBUTES);
    }
  },
};

const plain = (value: NamedValue): unknown[] => [value.name, value.type, value.value];

/** Ends the case when an attribute is of a type on which frameworks abort. */
export function checkType(attribute: NamedValue, call: string): void {
  if (attribute.type >= 0 && attribute.type < ALLOWED_TYPES) return;
  const type = NAMED_VALUE_TYPES[attribute.type] ?? `number ${attribute.type}`;
  broken(
    `the attribute ${JSON.stringify(attribute.name)} is of the type ${type}; frameworks take strings, integers and lists of integers only`,
    call,
  );
}

/** A text of a description: there, not empty, the same in the same place each time. */
function checkText(context: CaseContext, description: DeviceDescription, options: Options): void {
  const name = String(options.function);
  const field = String(options.field ?? (name.endsWith('DebugString') ? 'debug_string' : 'to_string'));
  const ask = () =>
    context.api.invoke(
      name,
      (call) => call.setWord('device_description', description.pointer),
      (call) => ({ address: call.word(field), size: call.count(field) }),
    );
  const first = ask();
  const text = readText(first.address, first.size);
  if (text === '') broken(`the ${field} of the device with the id ${description.id()} is empty`, name);
  const second = ask();
  if (readText(second.address, second.size) !== text)
    broken(`the ${field} of the device with the id ${description.id()} changes from one call to the next`, name);
  if (readText(first.address, first.size) !== text)
    broken(`the ${field} of the device with the id ${description.id()} was overwritten by the next call`, name);
}
