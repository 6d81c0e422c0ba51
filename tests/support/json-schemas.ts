import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { packagePath } from '../../harness/base/paths.ts';

const validators = new Map<string, ValidateFunction>();

/**
 * Parses JSON output of a command and validates it against a schema of the package, such as `inspection`. Throws on an error.
 */
export function parseAs<T>(name: string, text: string): T {
  let validate = validators.get(name);
  if (!validate) {
    const read = (file: string): object => JSON.parse(readFileSync(packagePath('schemas', file), 'utf8')) as object;
    const ajv = new Ajv2020({ allowUnionTypes: true });
    ajv.addSchema(read('events.schema.json'), 'events.schema.json');
    validate = ajv.compile(read(`${name}.schema.json`));
    validators.set(name, validate);
  }
  const value: unknown = JSON.parse(text);
  if (!validate(value)) throw new Error(`${name}: ${JSON.stringify(validate.errors, null, 2)}`);
  return value as T;
}
