import { readFileSync } from 'node:fs';
import { packagePath } from '../paths.ts';
import { parseYaml } from './located-yaml.ts';
import { formatPath, SuiteError, type SuiteProblem, throwIfAny } from './problem.ts';
import { checkSchema, validator } from './schema-check.ts';
import type { Level } from './types.ts';

/** Level of a requirement; `caller` binds the framework, not the plugin. */
export type RequirementLevel = Level | 'caller';

/** A requirement on a PJRT plugin, or on its caller. */
export interface Requirement {
  id: string;
  level: RequirementLevel;
  area: string;
  /** Function, struct or topic. */
  api: string;
  text: string;
  /**
   * On a CPU plugin: y (an ordinary one can exercise it), m (with several devices or memories), n (needs other hardware or
   * several processes).
   */
  cpu: 'y' | 'm' | 'n';
  /** Minor version of the C API that introduced it. */
  since?: number;
  /** Why plugins are held to it. */
  source?: string;
}

/** Requirements by id, in catalogue order. */
export type Requirements = ReadonlyMap<string, Requirement>;

let own: Requirements | undefined;

/** Reads a catalogue; by default that of the package. Throws SuiteError with every problem. */
export function loadRequirements(file?: string): Requirements {
  if (file !== undefined) return readRequirements(file);
  // Several reports quote it.
  own ??= readRequirements(packagePath('suites', 'requirements.yaml'));
  return own;
}

function readRequirements(file: string): Requirements {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new SuiteError([{ file, path: '', message: `cannot be read: ${(error as Error).message}` }]);
  }
  return parseRequirements(text, file);
}

/** Parses a catalogue. */
export function parseRequirements(text: string, file: string): Requirements {
  const document = parseYaml(text, file);
  throwIfAny(document.problems);
  throwIfAny(checkSchema(validator('requirements.schema.json'), document));
  const requirements = new Map<string, Requirement>();
  const problems: SuiteProblem[] = [];
  const { areas } = document.value as { areas: Record<string, Omit<Requirement, 'area'>[]> };
  for (const [area, list] of Object.entries(areas)) {
    for (const [i, entry] of list.entries()) {
      const path = ['areas', area, i, 'id'];
      if (requirements.has(entry.id)) {
        problems.push({
          file,
          position: document.at(path),
          path: formatPath(path),
          message: `requirement ${entry.id} twice`,
        });
      }
      requirements.set(entry.id, { ...entry, area });
    }
  }
  throwIfAny(problems);
  return requirements;
}

/** An optional part that is offered must work, so a violated `opt` is more severe than a `should`. */
const WEIGHT: readonly Level[] = ['may', 'should', 'opt', 'must'];

/** Level of a requirement in cases: what binds the caller cannot fail a plugin and counts as `may`. */
export function levelOf(id: string, requirements: Requirements): Level {
  const level = requirements.get(id)?.level ?? 'may';
  return level === 'caller' ? 'may' : level;
}

/** The highest of several levels; `may` if there are none. */
export const heaviest = (levels: readonly Level[]): Level =>
  WEIGHT[Math.max(0, ...levels.map((level) => WEIGHT.indexOf(level)))]!;
