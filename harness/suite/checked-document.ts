import { type LocatedYaml, parseYaml } from './located-yaml.ts';
import { throwIfAny } from './problem.ts';
import { checkSchema, validator } from './schema-check.ts';

/** A YAML document that is valid against a schema under schemas/. @throws SuiteError with every problem at `file:line:column` */
export function checkedDocument(text: string, file: string, schema: string, pointer = ''): LocatedYaml {
  const document = parseYaml(text, file);
  throwIfAny(document.problems);
  throwIfAny(checkSchema(validator(schema, pointer), document));
  return document;
}
