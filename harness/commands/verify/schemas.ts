import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { packagePath } from '../../base/paths.ts';

let ajv: Ajv2020 | undefined;

/** The published schemas, compiled independently. */
function schemas(): Ajv2020 {
  if (ajv) return ajv;
  ajv = new Ajv2020({ allowUnionTypes: true });
  for (const name of ['events', 'report', 'bundle']) {
    const file = `${name}.schema.json`;
    ajv.addSchema(JSON.parse(readFileSync(packagePath('schemas', file), 'utf8')), file);
  }
  return ajv;
}

const validators = new Map<string, ValidateFunction>();

/** The errors of a value, by a schema such as `report.schema.json` or `events.schema.json#/$defs/case`. */
export function schemaFault(schema: string, value: unknown): string | undefined {
  let validate = validators.get(schema);
  if (!validate) {
    validate = schemas().compile({ $ref: schema });
    validators.set(schema, validate);
  }
  if (validate(value) === true) return undefined;
  const error = validate.errors?.[0];
  return `${error?.instancePath || 'it'} ${error?.message ?? 'does not match the schema'}`;
}

/** Event types in the schema. */
export function eventTypes(): Set<string> {
  const schema = schemas().getSchema('events.schema.json')?.schema as { oneOf: { $ref: string }[] };
  return new Set(schema.oneOf.map(({ $ref }) => $ref.slice('#/$defs/'.length)));
}
