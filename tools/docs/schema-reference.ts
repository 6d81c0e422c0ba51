/** A JSON Schema, as far as those of this project use it. */
export interface Schema {
  $ref?: string;
  title?: string;
  description?: string;
  /** The rules, in several paragraphs; editors show them in place of `description`. */
  markdownDescription?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
  items?: Schema;
  properties?: Record<string, Schema | boolean>;
  additionalProperties?: Schema | boolean;
  required?: string[];
  else?: Schema;
  $defs?: Record<string, Schema>;
}

/** A key of a file: its path below the described object, what it takes, and what it means. */
interface Key {
  path: string;
  takes: string;
  meaning: string;
  required: boolean;
}

/** What definitions are called in links: their headings, where those are not their names, and their descriptions. */
export interface Definitions {
  anchors: Readonly<Record<string, string>>;
  schemas: Readonly<Record<string, Schema>>;
}

/** The keys of an object as a Markdown table; those of objects within it follow theirs, as `outer.inner`. */
export function keyTable(schema: Schema, defs: Definitions): string[] {
  const keys = keysOf(schema, '', defs);
  if (keys.length === 0) return [];
  return [
    '| Key | Takes | Meaning |',
    '| --- | --- | --- |',
    ...keys.map(
      ({ path, takes, meaning, required }) =>
        `| \`${path}\`${required ? ' (required)' : ''} | ${cell(takes)} | ${cell(meaning)} |`,
    ),
    '',
  ];
}

function keysOf(schema: Schema, prefix: string, defs: Definitions): Key[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, value]) => {
    if (typeof value === 'boolean') return [];
    const path = `${prefix}${name}`;
    const required = schema.required?.includes(name) === true;
    const defined = value.$ref === undefined ? undefined : target(value.$ref, defs);
    const inner = value.items?.properties ? value.items : value;
    return [
      { path, takes: takesOf(value, defs), meaning: value.description ?? defined?.description ?? '', required },
      ...keysOf(inner, `${path}${inner === value ? '' : '[]'}.`, defs),
    ];
  });
}

/** What a value may be, in a few words; definitions are links to their headings. */
export function takesOf(schema: Schema, defs: Definitions): string {
  const { $ref, title, type } = schema;
  if ($ref !== undefined) {
    const [name = '', ...inner] = pathOf($ref);
    // A key of a definition has no heading.
    if (inner.length > 0) return takesOf(target($ref, defs)!, defs);
    return `[${name}](#${defs.anchors[name] ?? name.toLowerCase()})`;
  }
  if (schema.const !== undefined) return code(schema.const);
  const choices = schema.enum ?? schema.else?.enum;
  if (choices) return `${choices.map(code).join(', ')}${schema.else ? ', or a parameter' : ''}`;
  if (title !== undefined) return title;
  const list = schema.items ? `list of ${takesOf(schema.items, defs)}` : 'list';
  const { additionalProperties } = schema;
  const object =
    typeof additionalProperties === 'object' && !schema.properties
      ? `object: name to ${takesOf(additionalProperties, defs)}`
      : 'object';
  const words: Record<string, string> = { array: list, object, string: 'text', boolean: 'true or false' };
  if (type === undefined) return 'any value';
  return [type]
    .flat()
    .map((one) => words[one] ?? one)
    .join(', or ');
}

/** `#/$defs/a/properties/b` as `a`, `properties`, `b`. */
const pathOf = (ref: string): string[] => ref.split('/').slice(2);

const target = (ref: string, { schemas }: Definitions): Schema | undefined =>
  pathOf(ref).reduce<unknown>((schema, key) => (schema as Record<string, unknown> | undefined)?.[key], schemas) as
    | Schema
    | undefined;

const code = (value: unknown): string => `\`${String(value)}\``;
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
