import { basename, extname } from 'node:path';
import type { Manifest, OptionOverride, Options, PluginCompileOptions } from '../../model/plugin.ts';
import type { DocumentPath } from '../../suite/located-yaml.ts';
import { checkSchema, validator } from '../../suite/schema-check.ts';
import { type ConfigFile, ManifestError, readConfig } from './config-file.ts';
import { typedOption } from './options.ts';
import { pluginNameOf } from './plugin-name.ts';

/** Equivalent keys of the RFC (`config_values`) and JAX (`library_path`, `create_options`). */
const ALIASES: Record<string, string> = {
  library_path: 'library',
  create_options: 'options',
  config_values: 'options',
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

/** Validates against the schema; `original` gives the key as written in the file. */
const validate = (config: ConfigFile, raw: Record<string, unknown>, original: Map<string, string>): void => {
  let data: unknown;
  try {
    data = plain(raw);
  } catch (error) {
    // An alias inside the value that it refers to makes a cycle.
    if (!(error instanceof RangeError)) throw error;
    throw new ManifestError(config.problem([], 'nested too deeply'));
  }
  const asWritten = ([first, ...rest]: DocumentPath): DocumentPath =>
    first === undefined ? [] : [original.get(String(first)) ?? first, ...rest];
  const written: ConfigFile = {
    ...config,
    keyAt: (path) => config.keyAt(asWritten(path)),
    problem: (path, message, more) => config.problem(asWritten(path), message, more),
  };
  const [problem] = checkSchema(validator('plugin-manifest.schema.json'), written, [], data);
  if (problem) throw new ManifestError(problem);
};

const placeOf = ({ file, at }: ConfigFile, path: DocumentPath): string => {
  const { line, column } = at(path);
  return `${file}:${line}:${column}`;
};

const toOptions = (value: unknown, config: ConfigFile, path: readonly string[]): Options =>
  Object.fromEntries(
    Object.entries((value ?? {}) as Record<string, unknown>).map(([name, element]) => [
      name,
      typedOption(element, `${placeOf(config, [...path, name])}: option "${name}"`),
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
    throw new ManifestError(config.problem([], 'expected a mapping of keys (see docs/plugins.md)'));
  }
  const raw: Record<string, unknown> = {};
  const original = new Map<string, string>();
  for (const [key, element] of Object.entries(value)) {
    const canonical = ALIASES[key] ?? key;
    if (Object.hasOwn(raw, canonical)) {
      const message = `"${key}" and "${original.get(canonical)}" mean the same; keep one`;
      throw new ManifestError(config.problem([], message, { position: config.keyAt([key]) }));
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
    ...(checked.resetCommand === undefined ? {} : { resetCommand: checked.resetCommand }),
    ...(checked.python === undefined ? {} : { python: checked.python }),
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
