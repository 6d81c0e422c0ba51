import { readFileSync } from 'node:fs';
import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { didYouMean } from '../base/did-you-mean.ts';
import { jsonSchemas } from '../base/json-schema.ts';
import { packagePath } from '../base/paths.ts';
import type { DocumentPath, LocatedYaml } from './located-yaml.ts';
import { formatPath, type SuiteProblem, show } from './problem.ts';
import { REPLACED_KEYS } from './replaced.ts';

type Schema = Record<string, unknown>;

/** Marks the places in a schema where `$parameter` may replace the value. */
const PARAMETER_MARK = 'or a parameter';

const OPTIONS = {
  allErrors: true,
  verbose: true,
  strict: true,
  allowUnionTypes: true,
  strictRequired: false,
  strictTypes: false,
} as const;

let library: Ajv2020 | undefined;
const ajv = (): Ajv2020 => (library ??= jsonSchemas(OPTIONS));

const compiled = new Map<string, ValidateFunction>();

/** Validator of a schema under schemas/. `expanded`: parameters are already substituted, so none may be left. */
export function validator(name: string, pointer = '', expanded = false): ValidateFunction {
  const key = `${name}#${pointer}#${expanded}`;
  let validate = compiled.get(key);
  if (!validate) {
    const id = expanded ? `expanded/${name}` : name;
    if (!ajv().getSchema(id)) {
      const schema = JSON.parse(readFileSync(packagePath('schemas', name), 'utf8')) as Schema;
      ajv().addSchema({ ...((expanded ? withoutParameters(schema) : schema) as Schema), $id: id });
    }
    validate = ajv().getSchema(pointer === '' ? id : `${id}#${pointer}`);
    if (!validate) throw new Error(`schemas/${name} has no ${pointer}`);
    compiled.set(key, validate);
  }
  return validate;
}

/** The same schema for a document after substitution. */
function withoutParameters(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutParameters);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $comment, ...rest } = schema as Schema;
  if ($comment === PARAMETER_MARK) {
    if (rest.else) {
      Object.assign(rest, rest.else);
      for (const word of ['if', 'then', 'else']) delete rest[word];
    } else {
      delete rest.pattern;
      rest.type = (rest.type as string[]).filter((type) => type !== 'string');
    }
  }
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, withoutParameters(value)]));
}

/** Validates a value at `path` of a document; problems in words, each with its location. */
export function checkSchema(
  validate: ValidateFunction,
  document: LocatedYaml,
  path: DocumentPath = [],
  value: unknown = document.value,
): SuiteProblem[] {
  if (validate(value)) return [];
  const errors = validate.errors ?? [];
  // A value of the wrong type violates every other rule too; only the type is worth reporting.
  const wrongType = new Set(errors.filter((error) => error.keyword === 'type').map((error) => error.instancePath));
  const relevant = errors.filter((error) => error.keyword === 'type' || !wrongType.has(error.instancePath));
  const problems = relevant.map((error) => toProblem(error, document, path, value));
  return problems.filter((problem) => problem !== undefined);
}

function toProblem(
  error: ErrorObject,
  document: LocatedYaml,
  base: DocumentPath,
  root: unknown,
): SuiteProblem | undefined {
  const { keyword, params, data, parentSchema } = error;
  // Errors inside the branches of anyOf and oneOf are summarized by the error of the whole.
  if (keyword === 'if' || /\/(anyOf|oneOf)\/\d/.test(error.schemaPath)) return undefined;
  const path = [...base, ...pathOf(error.instancePath, root)];
  const problem = (message: string, rest: Partial<SuiteProblem> = {}, key?: string): SuiteProblem => ({
    file: document.file,
    position: key === undefined ? document.at(path) : document.keyAt([...path, key]),
    path: formatPath(path),
    message,
    ...rest,
  });
  const schema = (parentSchema ?? {}) as Schema;
  switch (keyword) {
    case 'additionalProperties': {
      const key = String(params.additionalProperty);
      const known = Object.keys((schema.properties ?? {}) as object);
      return problem(
        `unknown key ${JSON.stringify(key)}`,
        { expected: oneOf(known), help: REPLACED_KEYS[key] ?? didYouMean(key, known) },
        key,
      );
    }
    case 'required':
      return problem(`missing key ${JSON.stringify(params.missingProperty)}`, {
        expected: describe(schema, String(params.missingProperty)),
      });
    case 'dependentRequired':
      return problem(
        `${JSON.stringify(params.property)} needs ${JSON.stringify(params.missingProperty)} beside it`,
        {},
        String(params.property),
      );
    case 'anyOf':
    case 'oneOf': {
      const alternatives = (schema[keyword] as { required: string[] }[]).flatMap((branch) => branch.required);
      const present = alternatives.filter((key) => key in (data as object));
      if (present.length > 1)
        return problem(`${present.map((key) => JSON.stringify(key)).join(' and ')} exclude each other`);
      return problem('incomplete', { expected: `one of the keys ${alternatives.join(', ')}`, got: keysOf(data) });
    }
    case 'minProperties':
    case 'maxProperties': {
      const known = Object.keys((schema.properties ?? {}) as object);
      const count = keyword === 'minProperties' ? 'at least' : 'at most';
      return problem(`${count} one key is needed`.replace('at most one key is needed', 'more than one key'), {
        expected: known.length > 0 ? oneOf(known) : 'a mapping',
        got: keysOf(data),
      });
    }
    case 'enum': {
      const allowed = params.allowedValues as string[];
      const help = typeof data === 'string' ? didYouMean(data, allowed) : undefined;
      return problem('unknown value', { expected: oneOf(allowed), got: show(data), help });
    }
    case 'type':
      return problem('wrong type', {
        expected: typeWords(schema, params.type as string | string[]),
        got: `${typeOf(data)} ${show(data)}`.trim(),
      });
    case 'pattern':
      return problem('wrong form', {
        expected: String(schema.title ?? typeWords(schema, schema.type as string[]) ?? `a match of ${params.pattern}`),
        got: show(data),
      });
    case 'propertyNames':
      return problem(
        `wrong name ${JSON.stringify(params.propertyName)}`,
        { expected: String(((schema.propertyNames ?? {}) as Schema).title) },
        String(params.propertyName),
      );
    case 'minItems':
      return problem('empty list', { expected: 'at least one entry' });
    case 'uniqueItems':
      return problem('the same entry twice', { got: show((data as unknown[])[params.i as number]) });
    case 'minLength':
      if (data !== '')
        return problem('too short', { expected: `at least ${params.limit} characters`, got: show(data) });
      return problem('empty text', { expected: describe({ properties: { own: schema } }, 'own') });
    case 'maxLength':
      return problem('too long', { expected: `at most ${params.limit} characters`, got: show(data) });
    case 'minimum':
      return problem('too small', { expected: `at least ${params.limit}`, got: show(data) });
    default:
      // The pattern of a property name is reported by its `propertyNames` error.
      if (error.propertyName !== undefined) return undefined;
      return problem(`${error.message}`, { got: show(data) });
  }
}

const oneOf = (values: readonly unknown[]): string => `one of ${values.map(String).join(', ')}`;

const keysOf = (data: unknown): string => {
  const keys = typeof data === 'object' && data !== null ? Object.keys(data) : [];
  return keys.length === 0 ? 'no keys' : keys.join(', ');
};

const typeOf = (data: unknown): string => {
  if (data === null || data === undefined) return '';
  if (Array.isArray(data)) return 'a list';
  return (
    { object: 'a mapping', string: 'text', number: 'the number', boolean: 'the boolean' }[typeof data as string] ??
    typeof data
  );
};

const TYPE_WORDS: Record<string, string> = {
  object: 'a mapping',
  array: 'a list',
  string: 'text',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
};

function typeWords(schema: Schema, types: string | string[]): string {
  const words = [types]
    .flat()
    .map((type) =>
      type === 'string' && schema.$comment === PARAMETER_MARK && !schema.if ? 'a $parameter' : TYPE_WORDS[type],
    );
  return schema.title && schema.type !== 'object' ? String(schema.title) : words.join(' or ');
}

/** First words of a property's description, to explain a missing key. */
function describe(schema: Schema, key: string): string | undefined {
  const own = ((schema.properties ?? {}) as Record<string, Schema>)[key];
  const text = own?.description ?? resolve(own?.$ref)?.description;
  return text === undefined ? undefined : String(text);
}

function resolve(reference: unknown): Schema | undefined {
  const name = /^#\/\$defs\/([A-Za-z]+)$/.exec(String(reference))?.[1];
  const suite = ajv().getSchema('suite.schema.json')?.schema as { $defs: Record<string, Schema> } | undefined;
  return name === undefined ? undefined : suite?.$defs[name];
}

/** JSON pointer to path; a token is an index if the value is a list. */
function pathOf(pointer: string, root: unknown): (string | number)[] {
  let value = root;
  return pointer
    .split('/')
    .slice(1)
    .map((token) => {
      const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
      const isIndex = Array.isArray(value);
      value = (value as Record<string, unknown> | undefined)?.[key];
      return isIndex ? Number(key) : key;
    });
}
