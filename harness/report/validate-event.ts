import { readFileSync } from 'node:fs';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { jsonSchemas } from '../base/json-schema.ts';
import { packagePath } from '../base/paths.ts';
import type { Event } from '../model/events.ts';

let compiled: ReadonlyMap<string, ValidateFunction> | undefined;

/** Whether this version of the log has such events; readers ignore others (of a newer minor). */
export const isKnownEvent = ({ type }: Event): boolean => validators().has(type);

/** The first error of an event, on one line; undefined if it matches schemas/events.schema.json. */
export function eventFault(event: Event): string | undefined {
  const { type } = event;
  const validate = validators().get(type);
  if (!validate) return `unknown event type ${JSON.stringify(type)}`;
  if (validate(event) === true) return undefined;
  const error = validate.errors?.[0];
  return `${type}${error?.instancePath ?? ''}: ${error?.message ?? 'does not match the schema'}`;
}

// One validator per type: the errors of a `oneOf` over all of them would name every branch except the relevant one.
function validators(): ReadonlyMap<string, ValidateFunction> {
  if (compiled) return compiled;
  const schema = JSON.parse(readFileSync(packagePath('schemas', 'events.schema.json'), 'utf8'));
  const ajv = jsonSchemas({ allowUnionTypes: true });
  ajv.addSchema(schema, 'events.schema.json');
  const refs = (schema.oneOf as { $ref: string }[]).map(({ $ref }) => $ref);
  compiled = new Map(
    refs.map(($ref) => [$ref.slice('#/$defs/'.length), ajv.compile({ $ref: `events.schema.json${$ref}` })]),
  );
  return compiled;
}
