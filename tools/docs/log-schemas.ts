import { execFileSync } from 'node:child_process';
import { createGenerator } from 'ts-json-schema-generator';
import { packagePath } from '../../harness/base/paths.ts';

/** A part of a JSON Schema. */
interface Node {
  [keyword: string]: unknown;
  $ref?: string;
  description?: string;
  properties?: Record<string, Node>;
  required?: string[];
}

/** By the names of types. */
type Definitions = Record<string, Node>;

/** Where a type is defined. */
type RefTo = (type: string) => string;

/**
 * The schemas of logs (events.schema.json), of JSON reports (report.schema.json) and of trends (trend.schema.json). They are made from
 * the types that write them: `Event`, with the options of a run that the log has, `JsonReport` and `JsonTrend`. What logs have too,
 * the other schemas take from theirs.
 */
export function logSchemas(): { events: string; report: string; trend: string } {
  const generator = createGenerator({
    path: packagePath('harness', '{report/json,report/trend/formats,run/plan/run-options}.ts'),
    tsconfig: packagePath('tsconfig.json'),
    // The type checker runs in `npm run check:types`.
    skipTypeCheck: true,
    expose: 'all',
    additionalProperties: true,
    sortProps: false,
    extraTags: ['since', 'shape', 'additionalProperties'],
  });
  const of = (type: string): Definitions => generator.createSchema(type).definitions as Definitions;
  const { Event, ...inLog } = { ...of('Event'), ...of('LoggedOptions') };
  const { JsonReport, ...inReport } = of('JsonReport');
  const { JsonTrend, ...inTrend } = of('JsonTrend');
  const toOwn: RefTo = (type) => `#/$defs/${nameOf(type)}`;
  const toLog: RefTo = (type) => (type in inLog ? `events.schema.json${toOwn(type)}` : toOwn(type));
  const notInLog = (definitions: Definitions): Definitions =>
    Object.fromEntries(Object.entries(definitions).filter(([type]) => !(type in inLog)));
  const { description, anyOf } = converted(Event, inLog, toOwn) as Node;
  return {
    events: text({
      title: 'One line of events.jsonl, version 1.x',
      description,
      oneOf: anyOf,
      $defs: named(inLog, toOwn),
    }),
    report: text({
      title: 'JSON report of a run, version 1.x',
      ...(converted(JsonReport, inReport, toLog) as Node),
      $defs: named(notInLog(inReport), toLog, inReport),
    }),
    trend: text({
      title: 'Trend of several runs, version 1.x',
      ...(converted(JsonTrend, inTrend, toLog) as Node),
      $defs: named(notInLog(inTrend), toLog, inTrend),
    }),
  };
}

/** A schema as the formatter leaves it. */
function text(schema: Node): string {
  const input = JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...schema });
  return execFileSync(packagePath('node_modules/.bin/biome'), ['format', '--stdin-file-path=a.json'], {
    input,
    encoding: 'utf8',
  });
}

/** The definitions by their names in schemas. */
function named(definitions: Definitions, refTo: RefTo, all = definitions): Definitions {
  const result: Definitions = {};
  for (const [type, node] of Object.entries(definitions).filter(([type]) => isName(type))) {
    const name = nameOf(type);
    if (name in result) throw new Error(`two types are called ${name} in a schema: distinguish them in log-schemas.ts`);
    result[name] = converted(node, all, refTo) as Node;
  }
  return result;
}

/** Types without a name of their own, such as `Record<string,number>`, are written where they are used. */
const isName = (type: string): boolean => /^\w+$/.test(type);

/** What a type is called in schemas: without what only code needs, and an event as its `type`. */
function nameOf(type: string): string {
  if (type === 'Attempt') return 'attemptRecord';
  if (type === 'LoggedOptions') return 'runOptions';
  const name = type.replace(/Event$/, '').replace(/^Json(?:Report)?/, '');
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** A part of a schema of draft 7, which the generator writes, in draft 2020-12, and with what our own tags mean. */
function converted(node: unknown, definitions: Definitions, refTo: RefTo): unknown {
  const convert = (part: unknown): unknown => converted(part, definitions, refTo);
  if (Array.isArray(node)) return node.map(convert);
  if (typeof node !== 'object' || node === null) return node;
  const { $ref, since, shape, description, properties, required, items, ...rest } = node as Node;
  const type = (shape as string) ?? decodeURIComponent($ref?.replace('#/definitions/', '') ?? '');
  if (type !== '' && !isName(type)) return convert({ ...definitions[type], since, description, ...rest });
  return {
    description: [description, since && `Since ${since}.`].filter(Boolean).join(' ') || undefined,
    ...(type === '' ? mapped(rest, convert) : { $ref: refTo(type) }),
    // Earlier logs do not have what came later.
    required: required?.filter((name) => properties?.[name]?.since === undefined),
    properties: properties && mapped(properties, convert),
    ...(Array.isArray(items)
      ? { prefixItems: items.map(({ title: _, ...item }) => convert(item)) }
      : { items: convert(items) }),
  };
}

const mapped = (members: object, change: (value: unknown) => unknown): object =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, change(value)]));
