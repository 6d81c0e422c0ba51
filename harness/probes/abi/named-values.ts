import type { NamedValue } from '../../pjrt/named-values.ts';
import type { CaseContext } from '../../steps/context.ts';
import { CheckFailure, lacksHelper, NotSupported } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { functionOption } from './probe-options.ts';
import { runSoundCall } from './run-sound-call.ts';

const LIST_FIELDS = ['attributes', 'properties'] as const;
const KINDS = ['string', 'int64', 'int64 list', 'float', 'bool'];

/** A list of named values that a function gives: types, sizes, names; an empty one may be NULL. */
export const namedValues: Probe = (context, options) => {
  const name = functionOption(context, options);
  const types = options.types as number[] | undefined;
  const list = listOf(context, name);
  const fail = (requirement: string, message: string): never => {
    throw new CheckFailure({ type: 'pjrt.BadNamedValue', message, call: name, requirements: [requirement] });
  };
  list.forEach((value, i) => {
    const which = value.name === '' ? `named value ${i} of ${name}` : `${value.name} of ${name}`;
    if (value.type < 0 || value.type >= KINDS.length)
      fail('NV-001', `${which} has the type ${value.type}; types are 0 to 4`);
    if (types && !types.includes(value.type)) {
      fail('DSC-ATT-002', `${which} is a ${KINDS[value.type]}; frameworks abort on it here`);
    }
    if (value.isNull) fail('NV-002', `${which} has ${value.valueSize} elements behind a null pointer`);
    const isList = value.type === 0 || value.type === 2;
    if (!isList && value.valueSize !== 1) {
      fail('NV-002', `${which} is a single ${KINDS[value.type]}, but its value_size is ${value.valueSize}`);
    }
  });
  const should = (requirement: string, message: string): void =>
    context.report({ type: 'pjrt.BadNamedValue', level: 'should', message, call: name, requirements: [requirement] });
  if (list.some((v) => v.name === '')) should('NV-003', `${name} gives named values without a name`);
  const twice = [...new Set(list.map((v) => v.name).filter((n, i, all) => all.indexOf(n) !== i))];
  if (twice.length > 0) should('NV-003', `${name} gives names twice: ${twice.join(', ')}`);
  const expected = context.api.pluginStruct('PJRT_NamedValue').structSize;
  const odd = list.filter((v) => v.structSize !== expected);
  if (odd.length > 0) {
    const sizes = [...new Set(odd.map((v) => v.structSize))].join(', ');
    should('NV-004', `${name} gives named values whose struct_size is ${sizes}, expected ${expected}`);
  }
};

/** The list that a function gives, read at once. */
function listOf(context: CaseContext, name: string): NamedValue[] {
  const { error, outputs } = runSoundCall(context, name);
  if (error) throw lacksHelper(error);
  const field = LIST_FIELDS.find((f) => outputs.has(f));
  const list = field === undefined ? undefined : outputs.get(field);
  if (!Array.isArray(list)) throw new NotSupported(`${name} gives no named values`);
  return list as NamedValue[];
}
