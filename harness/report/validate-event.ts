import { readFileSync } from 'node:fs';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { jsonSchemas } from '../base/json-schema.ts';
import { packagePath } from '../base/paths.ts';
import type { Event } from '../model/events.ts';

/** Event types of this version of the log; readers ignore others (of a newer minor). */
export const EVENT_TYPES: readonly Event['type'][] = [
  'header',
  'suite',
  'plugin',
  'framework',
  'worker',
  'start',
  'attempt',
  'case',
  'expectations',
  'mustpass',
  'note',
  'resume',
  'checkpoint',
  'footer',
];

const validators = new Map<string, ValidateFunction>();

/** The first error of an event of a known type, on one line; undefined if it matches schemas/events.schema.json. */
export function eventFault(event: Event): string | undefined {
  if (validators.size === 0) compileValidators();
  const { type } = event;
  const validate = validators.get(type);
  if (!validate) return `unknown event type ${JSON.stringify(type)}`;
  if (validate(event) === true) return undefined;
  const error = validate.errors?.[0];
  return `${type}${error?.instancePath ?? ''}: ${error?.message ?? 'does not match the schema'}`;
}

// One validator per type: the errors of a `oneOf` over all of them would name every branch except the relevant one.
function compileValidators(): void {
  const schema = JSON.parse(readFileSync(packagePath('schemas', 'events.schema.json'), 'utf8'));
  const ajv = jsonSchemas({ allowUnionTypes: true });
  ajv.addSchema(schema, 'events.schema.json');
  for (const type of EVENT_TYPES) validators.set(type, ajv.compile({ $ref: `events.schema.json#/$defs/${type}` }));
}
