import { readFileSync } from 'node:fs';
import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { didYouMean } from '../base/did-you-mean.ts';
import { jsonSchemas } from '../base/json-schema.ts';
import { packagePath } from '../base/paths.ts';
import type { DocumentPath, LocatedYaml } from './located-yaml.ts';
import { type SuiteProblem, show } from './problem.ts';
import { REPLACED_KEYS } from './replaced.ts';

type Schema = Record<string, unknown>;

/** What must be known of a document: its value, and where the parts of it are. */
type Document = Pick<LocatedYaml, 'value' | 'keyAt' | 'problem'>;

/** Marks the places in a schema where `$parameter` may replace the value. */
const PARAMETER_MARK = 'or a parameter';

const OPTIONS = {
  allErrors: true,
  verbose: true,
  strict: true,
  allowUnionTypes: true,
  strictRequired: false,
  strictTypes: false,
  keywords: ['markdownDescription'],
};

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
  document: Document,
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
  document: Document,
  base: DocumentPath,
  root: unknown,
): SuiteProblem | undefined {
  const { keyword, params, data, parentSchema } = error;
  // Errors inside the branches of anyOf and oneOf are summarized by the error of the whole.
  if (keyword === 'if' || /\/(anyOf|oneOf)\/\d/.test(error.schemaPath)) return undefined;
  const say = Object.hasOwn(SAID, keyword) ? SAID[keyword] : undefined;
  // What is wrong with the name of a property is reported by its `propertyNames` error.
  if (error.propertyName !== undefined) return undefined;
  const said = say?.(params, data, (parentSchema ?? {}) as Schema) ?? { message: `${error.message}`, got: show(data) };
  const { message, key, ...more } = said;
  const path = [...base, ...pathOf(error.instancePath, root)];
  return document.problem(path, message, {
    ...(key === undefined ? {} : { position: document.keyAt([...path, key]) }),
    ...more,
  });
}

/** What is wrong, and with which key if it is not the value itself. */
type Said = Pick<SuiteProblem, 'message' | 'expected' | 'got' | 'help'> & { key?: string };

type Say = (params: Record<string, unknown>, data: unknown, schema: Schema) => Said;

const missesOne: Say = (_, data, schema) => {
  const branches = (schema.anyOf ?? schema.oneOf) as { required: string[] }[];
  const alternatives = branches.flatMap(({ required }) => required);
  const present = alternatives.filter((key) => key in (data as object)).map((key) => JSON.stringify(key));
  if (present.length > 1) return { message: `${present.join(' and ')} exclude each other` };
  return { message: 'incomplete', expected: `one of the keys ${alternatives.join(', ')}`, got: keysOf(data) };
};

const hasOtherCount =
  (message: string): Say =>
  (_, data, schema) => {
    const known = propertiesOf(schema);
    return { message, expected: known.length > 0 ? oneOf(known) : 'a mapping', got: keysOf(data) };
  };

/** By the keyword of the schema that a value violates. */
const SAID: Readonly<Record<string, Say>> = {
  additionalProperties: ({ additionalProperty }, _, schema) => {
    const [key, known] = [String(additionalProperty), propertiesOf(schema)];
    const help = REPLACED_KEYS[key] ?? didYouMean(key, known);
    return { key, message: `unknown key ${JSON.stringify(key)}`, expected: oneOf(known), help };
  },
  required: ({ missingProperty }, _, schema) => ({
    message: `missing key ${JSON.stringify(missingProperty)}`,
    expected: describe(schema, String(missingProperty)),
  }),
  dependentRequired: ({ property, missingProperty }) => ({
    key: String(property),
    message: `${JSON.stringify(property)} needs ${JSON.stringify(missingProperty)} beside it`,
  }),
  anyOf: missesOne,
  oneOf: missesOne,
  minProperties: hasOtherCount('at least one key is needed'),
  maxProperties: hasOtherCount('more than one key'),
  enum: ({ allowedValues }, data) => {
    const allowed = allowedValues as string[];
    const help = typeof data === 'string' ? didYouMean(data, allowed) : undefined;
    return { message: 'unknown value', expected: oneOf(allowed), got: show(data), help };
  },
  type: ({ type }, data, schema) => ({
    message: 'wrong type',
    expected: typeWords(schema, type as string | string[]),
    got: `${typeOf(data)} ${show(data)}`.trim(),
  }),
  pattern: ({ pattern }, data, schema) => ({
    message: 'wrong form',
    expected: formOf(schema, pattern),
    got: show(data),
  }),
  propertyNames: ({ propertyName }, _, schema) => ({
    key: String(propertyName),
    message: `wrong name ${JSON.stringify(propertyName)}`,
    expected: formOf(schema.propertyNames as Schema),
  }),
  minItems: () => ({ message: 'empty list', expected: 'at least one entry' }),
  uniqueItems: ({ i }, data) => ({ message: 'the same entry twice', got: show((data as unknown[])[i as number]) }),
  minLength: ({ limit }, data, schema) =>
    data === ''
      ? { message: 'empty text', expected: describe({ properties: { own: schema } }, 'own') }
      : { message: 'too short', expected: `at least ${limit} characters`, got: show(data) },
  maxLength: ({ limit }, data) => ({ message: 'too long', expected: `at most ${limit} characters`, got: show(data) }),
  minimum: ({ limit }, data) => ({ message: 'too small', expected: `at least ${limit}`, got: show(data) }),
};

/** What a text must look like. */
const formOf = (schema: Schema, pattern = schema.pattern): string =>
  schema.$comment === PARAMETER_MARK && !schema.title
    ? typeWords(schema, schema.type as string[])
    : String(schema.title ?? `a match of ${pattern}`);

const propertiesOf = (schema: Schema): string[] => Object.keys((schema.properties ?? {}) as object);

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
