/** What a YAML or JSON file of a user is, by its keys. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { packagePath } from '../../base/paths.ts';
import { parseYaml } from '../../suite/located-yaml.ts';

/** The kinds of files that people write; the first wins if two know as many keys of a file. */
const SCHEMAS = {
  suite: 'suite.schema.json',
  'expectations file': 'expectations.schema.json',
  'plugin manifest': 'plugin-manifest.schema.json',
  'configuration file': 'config.schema.json',
  'requirements catalogue': 'requirements.schema.json',
  'policy of the gate': 'gate-policy.schema.json',
  'statement of a submission': 'statement.schema.json',
  'waivers file': 'waivers.schema.json',
} as const;

export type FileKind = keyof typeof SCHEMAS;

export const FILE_KINDS = Object.keys(SCHEMAS) as FileKind[];

/** Other names of keys, as the RFC and JAX write manifests. */
const ALIASES: Partial<Record<FileKind, readonly string[]>> = {
  'plugin manifest': ['library_path', 'create_options', 'config_values'],
};

const CONFIG_NAMES = /^pjrt-conformance\.ya?ml$/;

const keysOf = (kind: FileKind): string[] => {
  const schema = JSON.parse(readFileSync(packagePath('schemas', SCHEMAS[kind]), 'utf8')) as { properties: object };
  return [...Object.keys(schema.properties), ...(ALIASES[kind] ?? [])].filter((key) => key !== '$schema');
};

/**
 * The kind of a file: a configuration file by its name, otherwise what its `$schema` says, otherwise the kind that knows most of
 * its keys. Text that is no mapping is a suite, whose reader says what is wrong with it.
 * @returns undefined for a mapping whose keys no kind knows
 */
export function kindOf(text: string, file: string): FileKind | undefined {
  if (CONFIG_NAMES.test(basename(file))) return 'configuration file';
  const { value, problems } = parseYaml(text, file);
  if (problems.some(({ kind }) => kind === 'syntax') || typeof value !== 'object' || value === null) return 'suite';
  const named = String((value as { $schema?: unknown }).$schema ?? '');
  const bySchema = FILE_KINDS.find((kind) => basename(named) === SCHEMAS[kind]);
  if (bySchema) return bySchema;
  const keys = Object.keys(value);
  if (keys.length === 0) return 'suite';
  const scores = FILE_KINDS.map((kind) => {
    const known = keysOf(kind);
    return keys.filter((key) => known.includes(key)).length;
  });
  const best = Math.max(...scores);
  return best === 0 ? undefined : FILE_KINDS[scores.indexOf(best)];
}
