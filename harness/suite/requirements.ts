import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { packagePath } from '../base/paths.ts';
import { checkedDocument } from './checked-document.ts';
import { fileProblem, type SuiteProblem, throwIfAny } from './problem.ts';
import { textOf } from './text-of.ts';
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
   * On a CPU plugin: y (an ordinary one can exercise it; the default), m (with several devices or memories), n (needs other
   * hardware or several processes).
   */
  cpu: 'y' | 'm' | 'n';
  /** About how any call is made, whatever its function. */
  form?: true;
  /** About a call that the plugin must refuse. */
  refusal?: true;
  /** About arguments that only its own cases pass. */
  special?: true;
  /** Minor version of the C API that introduced it. */
  since?: number;
  /** Why plugins are held to it. */
  source?: string;
}

type WrittenRequirement = Omit<Requirement, 'area' | 'cpu'> & Partial<Pick<Requirement, 'cpu'>>;

/** Requirements by id, in catalogue order. */
export type Requirements = ReadonlyMap<string, Requirement>;

let own: Requirements | undefined;

/** Reads a catalogue; by default that of the package. Throws SuiteError with every problem. */
export function loadRequirements(file?: string): Requirements {
  const read = (path: string): Requirements => parseRequirements(textOf(path, path), path);
  if (file !== undefined) return read(file);
  // Several reports quote it.
  own ??= read(packagePath('suites', CATALOGUE));
  return own;
}

/** Parses a catalogue. */
export function parseRequirements(text: string, file: string): Requirements {
  const document = checkedDocument(text, file, 'requirements.schema.json');
  const requirements = new Map<string, Requirement>();
  const problems: SuiteProblem[] = [];
  const { areas } = document.value as { areas: Record<string, WrittenRequirement[]> };
  for (const [area, list] of Object.entries(areas)) {
    for (const [i, entry] of list.entries()) {
      const path = ['areas', area, i, 'id'];
      if (requirements.has(entry.id)) problems.push(document.problem(path, `requirement ${entry.id} twice`));
      requirements.set(entry.id, { cpu: 'y', ...entry, area });
    }
  }
  throwIfAny(problems);
  return requirements;
}

/** Name of the catalogue beside suites. */
export const CATALOGUE = 'requirements.yaml';

/**
 * The catalogue of the package and those of the user: `requirements.yaml` in a directory of suites, or beside a suite.
 * @param paths files and directories with suites @param cwd base of relative paths
 * @throws SuiteError, also for an id that two of them have
 */
export function requirementsFor(paths: readonly string[], cwd = ''): Requirements {
  const catalogues = new Map<string, string>();
  for (const path of paths) {
    const directory = statSync(resolve(cwd, path), { throwIfNoEntry: false })?.isDirectory() ? path : dirname(path);
    const file = join(directory, CATALOGUE);
    const absolute = resolve(cwd, file);
    if (absolute !== packagePath('suites', CATALOGUE) && existsSync(absolute)) catalogues.set(absolute, file);
  }
  if (catalogues.size === 0) return loadRequirements();
  const all = new Map(loadRequirements());
  const problems: SuiteProblem[] = [];
  for (const [absolute, file] of catalogues) {
    for (const [id, requirement] of parseRequirements(textOf(absolute, file), file)) {
      const help = 'choose an id of your own';
      if (all.has(id)) problems.push(fileProblem(file, `requirement ${id} is already in another catalogue`, { help }));
      all.set(id, requirement);
    }
  }
  throwIfAny(problems);
  return all;
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
