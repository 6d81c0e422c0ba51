import type { ValueType } from '../knowledge/abi/value-type.ts';
import {
  comparedBy,
  describe,
  elementOf,
  fits,
  isMapping,
  isReference,
  readable,
  structIn,
  takes,
} from './field-values.ts';
import type { DocumentPath, LocatedYaml } from './located-yaml.ts';
import type { NameTypes } from './name-types.ts';
import { type SuiteProblem, show } from './problem.ts';
import { nestedSteps, type RawStep, verbsOf } from './raw.ts';
import type { Vocabulary } from './vocabulary.ts';

/** What to write instead of a number. */
function helpWith(type: ValueType, value: number): string | undefined {
  const name = type.kind === 'enum' ? type.names.get(value) : undefined;
  if (name !== undefined) return `write {enum: ${name}}`;
  return type.kind === 'struct' ? undefined : `if it is meant to be wrong, write {raw: ${value}}`;
}

/** What the keys of steps refer to; of some, one or several. */
const REFERENCES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  put: { client: 'PJRT_Client' },
  get: { buffer: 'PJRT_Buffer' },
  compile: { client: 'PJRT_Client', topology: 'PJRT_TopologyDescription' },
  execute: { executable: 'PJRT_LoadedExecutable', device: 'PJRT_Device', args: 'PJRT_Buffer' },
  await: { event: 'PJRT_Event', buffer: 'PJRT_Buffer' },
};
const SEVERAL: ReadonlySet<string> = new Set(['buffer', 'args']);

type Fields = ReadonlyMap<string, ValueType>;

/**
 * Compares what a step writes into fields of the C API, and what it expects of them, with their C types, after substitution of
 * the parameters: a mistake of a suite must not become a finding about a plugin.
 */
export function checkValues(
  step: RawStep,
  names: NameTypes,
  vocabulary: Pick<Vocabulary, 'functions' | 'structs'>,
  document: LocatedYaml,
  path: DocumentPath,
): SuiteProblem[] {
  const { functions, structs } = vocabulary;
  const nested = nestedSteps(step);
  const inner = nested.steps.flatMap((one, i) =>
    checkValues(one, names, vocabulary, document, [...path, nested.key, i]),
  );
  return [...ofReferences(), ...ofStep(), ...inner];

  function ofReferences(): SuiteProblem[] {
    const verb = verbsOf(step)[0] ?? '';
    const body = Object(step[verb]) as Record<string, unknown>;
    return Object.entries(REFERENCES[verb] ?? {}).flatMap(([key, of]) => {
      const type: ValueType = { kind: 'object', of, fields: false, counted: SEVERAL.has(key) };
      return [body[key]]
        .flat()
        .flatMap((one) => (isReference(one) ? referred(`${key} of ${verb}`, type, one, [...path, verb, key]) : []));
    });
  }

  function ofStep(): SuiteProblem[] {
    switch (verbsOf(step)[0]) {
      case 'call':
        return ofCall(String(step.call), Object(step.with), Object(step.expect));
      case 'execute': {
        const name = 'PJRT_ExecuteOptions';
        return inFields(name, structs?.get(name), Object(Object(step.execute).options), [
          ...path,
          'execute',
          'options',
        ]);
      }
      case 'expect': {
        const { actual, ...predicate } = step.expect as { actual: string };
        const type = names.typeOf(actual);
        return type === undefined || type.kind === 'array'
          ? []
          : expected(actual, type, predicate, [...path, 'expect']);
      }
      default:
        return [];
    }
  }

  function ofCall(name: string, given: object, predicates: object): SuiteProblem[] {
    const fields = functions?.get(name);
    return [
      ...inFields(name, fields, given, [...path, 'with']),
      ...Object.entries(predicates).flatMap(([field, predicate]) => {
        const type = fields?.get(field);
        // What is read of memory that the step gives is that memory.
        if (type === undefined || Object.hasOwn(given, field)) return [];
        return expected(`${field} of ${name}`, type, Object(predicate), [...path, 'expect', field]);
      }),
    ];
  }

  function inFields(name: string, fields: Fields | undefined, values: object, at: DocumentPath): SuiteProblem[] {
    return Object.entries(values).flatMap(([field, value]) => {
      const type = fields?.get(field);
      return type === undefined ? [] : written(`${field} of ${name}`, type, value, [...at, field]);
    });
  }

  function written(what: string, type: ValueType, value: unknown, at: DocumentPath): SuiteProblem[] {
    const element = elementOf(type);
    if (Array.isArray(value) && element) return value.flatMap((one, i) => written(what, element, one, [...at, i]));
    if (isMapping(value) && 'struct' in value && structIn(type) === value.struct) {
      const name = String(value.struct);
      return inFields(name, structs?.get(name), Object(value.with), [...at, 'with']);
    }
    if (isReference(value)) return referred(what, type, value, at);
    if (fits(type, value)) return [];
    return [wrong(what, type, show(value), at, Number.isInteger(value) ? helpWith(type, value as number) : undefined)];
  }

  function referred(what: string, type: ValueType, reference: string, at: DocumentPath): SuiteProblem[] {
    const given = names.typeOf(reference);
    return given === undefined || takes(type, given) ? [] : [wrong(what, type, `${reference}, ${describe(given)}`, at)];
  }

  function expected(what: string, type: ValueType, predicate: object, at: DocumentPath): SuiteProblem[] {
    return Object.entries(predicate).flatMap(([key, value]) => {
      const place = [...at, key];
      const compared = comparedBy(key, type);
      if (compared === undefined)
        return document.problem(place, `${key} cannot hold for ${what}`, { got: describe(type) });
      const { with: other, list } = compared;
      if (other === undefined) return [];
      if (key === 'each') return expected(what, other, Object(value), place);
      if (!list) return read(what, other, value, place);
      return Array.isArray(value) ? value.flatMap((one, i) => read(what, other, one, [...place, i])) : [];
    });
  }

  function read(what: string, type: ValueType, value: unknown, at: DocumentPath): SuiteProblem[] {
    const element = elementOf(type);
    if (Array.isArray(value) && element) return value.flatMap((one, i) => read(what, element, one, [...at, i]));
    if (isReference(value)) return referred(what, type, value, at);
    return readable(type, value) ? [] : [wrong(what, type, show(value), at)];
  }

  function wrong(what: string, type: ValueType, got: string, at: DocumentPath, help?: string): SuiteProblem {
    return document.problem(at, `wrong value for ${what}`, { expected: describe(type), got, help });
  }
}
