import { readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { suggestion } from '../../base/did-you-mean.ts';
import { jsonSchemas } from '../../base/json-schema.ts';
import { packagePath } from '../../base/paths.ts';
import type { Manifest, OptionOverride, Options, PluginCompileOptions } from '../../model/plugin.ts';
import { type ConfigFile, readConfig } from './config-file.ts';
import { typedOption } from './options.ts';
import { PluginError } from './plugin-error.ts';
import { pluginNameOf } from './plugin-name.ts';

/** Equivalent keys of the RFC (`config_values`) and JAX (`library_path`, `create_options`). */
const ALIASES: Record<string, string> = {
  library_path: 'library',
  create_options: 'options',
  config_values: 'options',
};

let compiled: ValidateFunction | undefined;
const validator = (): ValidateFunction => {
  if (compiled === undefined) {
    const schema: unknown = JSON.parse(readFileSync(packagePath('schemas', 'plugin-manifest.schema.json'), 'utf8'));
    // A test validates the schema itself; doing it here would double the time.
    compiled = jsonSchemas({ allErrors: false, allowUnionTypes: true, validateSchema: false }).compile(
      schema as object,
    );
  }
  return compiled;
};

/** Bigints as numbers, only for the schema, which knows numbers; typedOption checks the exact value. */
const plain = (value: unknown): unknown => {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, element]) => [key, plain(element)]));
  }
  return value;
};

const keysAt = (error: ErrorObject): string[] => {
  const properties = (error.parentSchema as { properties?: object } | undefined)?.properties;
  return properties ? Object.keys(properties) : [];
};

const describe = (error: ErrorObject): { message: string; key?: string } => {
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'additionalProperties': {
      const key = String(params.additionalProperty);
      const known = keysAt(error);
      return {
        key,
        message: `unknown key ${JSON.stringify(key)}${suggestion(key, known) || `; known keys: ${known.join(', ')}`}`,
      };
    }
    case 'required':
      return { message: `the key "${String(params.missingProperty)}" is missing` };
    case 'type':
      return { message: `expected ${[params.type].flat().join(' or ')}` };
    case 'enum':
      return { message: `expected one of ${(params.allowedValues as unknown[]).join(', ')}` };
    case 'pattern':
      return { message: `does not have the expected form ${String(params.pattern)}` };
    case 'propertyNames':
      return {
        key: String(params.propertyName),
        message: `${JSON.stringify(params.propertyName)} is not a valid name here`,
      };
    default:
      return { message: error.message ?? 'is not valid' };
  }
};

const decodePointer = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

/** Validates against the schema; `original` gives the key as written in the file. */
const validate = (config: ConfigFile, raw: Record<string, unknown>, original: Map<string, string>): void => {
  const check = validator();
  let data: unknown;
  try {
    data = plain(raw);
  } catch (error) {
    // An alias inside the value that it refers to makes a cycle.
    if (!(error instanceof RangeError)) throw error;
    throw new PluginError('manifest-invalid', `${config.locate([])}: nested too deeply`);
  }
  if (check(data)) return;
  const errors = check.errors ?? [];
  const error = errors.find((candidate) => candidate.keyword === 'propertyNames') ?? errors[0];
  if (error === undefined) return;
  const { message, key } = describe({ ...error, parentSchema: parentSchemaOf(error) });
  const path = decodePointer(error.instancePath);
  const inFile = path.map((part, index) => (index === 0 ? (original.get(part) ?? part) : part));
  const where = config.locate(key === undefined ? inFile : [...inFile, key], key !== undefined);
  const what = key === undefined && inFile.length > 0 ? `${inFile.join('.')}: ` : '';
  throw new PluginError('manifest-invalid', `${where}: ${what}${message}`);
};

/** The schema object with the failed keyword, found by its pointer. */
const parentSchemaOf = (error: ErrorObject): object | undefined => {
  const pointer = decodePointer(error.schemaPath.replace(/^#/, '')).slice(0, -1);
  let node: unknown = validator().schema;
  for (const part of pointer) node = (node as Record<string, unknown> | undefined)?.[part];
  return node as object | undefined;
};

const toOptions = (value: unknown, config: ConfigFile, path: readonly string[]): Options =>
  Object.fromEntries(
    Object.entries((value ?? {}) as Record<string, unknown>).map(([name, element]) => [
      name,
      typedOption(element, `${config.locate([...path, name])}: option "${name}"`),
    ]),
  );

function toCompileOptions(written: PluginCompileOptions, config: ConfigFile): PluginCompileOptions {
  const overrides = toOptions(written.overrides, config, ['compileOptions', 'overrides']);
  return {
    style: written.style,
    // The schema leaves no lists here.
    ...(written.overrides ? { overrides: overrides as Record<string, OptionOverride> } : {}),
  };
}

/**
 * Converts a parsed file to a manifest: validated (unless that was done before), with canonical names and typed options.
 * Throws with `file:line:col`.
 */
export const toManifest = (config: ConfigFile, { checked: skip = false } = {}): Manifest => {
  const { value, file } = config;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new PluginError('manifest-invalid', `${config.locate([])}: expected a mapping of keys (see docs/plugins.md)`);
  }
  const raw: Record<string, unknown> = {};
  const original = new Map<string, string>();
  for (const [key, element] of Object.entries(value)) {
    const canonical = ALIASES[key] ?? key;
    if (Object.hasOwn(raw, canonical)) {
      const message = `"${key}" and "${original.get(canonical)}" mean the same; keep one`;
      throw new PluginError('manifest-invalid', `${config.locate([key], true)}: ${message}`);
    }
    raw[canonical] = element;
    original.set(canonical, key);
  }
  if (!skip) validate(config, raw, original);
  const exact = raw as unknown as Partial<Manifest>;
  const checked = plain(raw) as Partial<Manifest>;
  const { topology } = exact;
  return {
    name: checked.name ?? pluginNameOf(basename(file)) ?? basename(file, extname(file)),
    description: checked.description,
    file,
    package: checked.package,
    build: checked.build,
    library: checked.library,
    libraryNames: checked.libraryNames ?? [],
    env: checked.env ?? {},
    options: toOptions(exact.options, config, [original.get('options') ?? 'options']),
    knownOptions: checked.knownOptions ?? {},
    serial: checked.serial ?? false,
    devices: checked.devices,
    deadlines: checked.deadlines ?? {},
    numerics: checked.numerics,
    platformName: checked.platformName,
    topology: topology && {
      name: topology.name,
      options: toOptions(topology.options, config, ['topology', 'options']),
    },
    ...(exact.compileOptions ? { compileOptions: toCompileOptions(exact.compileOptions, config) } : {}),
    declares: checked.declares,
    ...(checked.largeArrays ? { largeArrays: true } : {}),
    hardware: checked.hardware,
    environment: checked.environment ?? [],
    deviations: checked.deviations ?? [],
    notes: checked.notes,
    source: checked.source ?? [],
  };
};

/** Reads a manifest in YAML, or in JSON with the keys of the manifest, the RFC or JAX. */
export const readManifest = async (file: string): Promise<Manifest> => toManifest(await readConfig(file));
