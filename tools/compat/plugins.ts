import { readFileSync } from 'node:fs';
import { Abi, NEWEST_MINOR } from '../../harness/abi/index.ts';
import { packagePath } from '../../harness/paths.ts';
import { matchesCase } from '../../harness/suite/case-glob.ts';
import { parseYaml } from '../../harness/suite/located-yaml.ts';
import { throwIfAny } from '../../harness/suite/problem.ts';
import { checkSchema, validator } from '../../harness/suite/schema-check.ts';

export type Gap = 'null' | 'UNIMPLEMENTED' | 'INTERNAL';

/** How a plugin of plugins.yaml is made. */
export interface Recipe {
  base: 'xla-cpu' | 'reference';
  minor?: number;
  fault?: string;
  /** By function, without the `PJRT_` prefix. */
  slots?: Record<string, Gap>;
  /** Every N-th function from the K-th on is null. */
  without?: { every: number; from: number };
  /** All others are null. */
  keep?: string[];
  /** What the others are instead of null. */
  rest?: Gap;
  /** Designs of plugins/faults/traits.cc, which are no defect. */
  traits?: string[];
}

/** A plugin that `compat` and JAX are both shown. */
export interface Subject {
  name: string;
  group: string;
  recipe: Recipe;
}

/** Where prediction is known to fall short, and why. */
export interface Limit {
  /** Globs over `plugin@release`. */
  where: string[];
  reason: string;
}

export interface Comparison {
  releases: string[];
  subjects: Subject[];
  limits: Limit[];
}

/** Reads what is compared. @throws SuiteError with every problem of its form */
export function loadComparison(file = packagePath('tools', 'compat', 'plugins.yaml')): Comparison {
  const document = parseYaml(readFileSync(file, 'utf8'), file);
  throwIfAny(document.problems);
  throwIfAny(checkSchema(validator('compat-plugins.schema.json'), document));
  const { releases, plugins, limits } = document.value as {
    releases: string[];
    plugins: Record<string, Record<string, Recipe>>;
    limits: Limit[];
  };
  return {
    releases,
    limits,
    subjects: Object.entries(plugins).flatMap(([group, members]) =>
      Object.entries(members).map(([name, recipe]) => ({ name, group, recipe })),
    ),
  };
}

/** The limit that covers a plugin with a release. */
export const limitOf = (limits: readonly Limit[], plugin: string, release: string): Limit | undefined =>
  limits.find(({ where }) => where.some((glob) => matchesCase(glob, `${plugin}@${release}`)));

/** The environment in which the base, or the library with the faults, is this plugin. */
export function environmentOf(recipe: Recipe, baseLibrary: string): Record<string, string> {
  const gaps = gapsOf(recipe);
  const { traits = [] } = recipe;
  const fault = gaps.length > 0 ? 'slots' : (recipe.fault ?? (traits.length > 0 ? 'slots' : undefined));
  return {
    ...(recipe.minor === undefined ? {} : { PJRT_REFERENCE_API_MINOR: String(recipe.minor) }),
    ...(fault === undefined ? {} : { PJRT_FAULTS_BASE: baseLibrary, PJRT_FAULT: fault }),
    ...(gaps.length > 0 ? { PJRT_FAULTS_SLOTS: gaps.map(([name, gap]) => `${name}=${gap}`).join(',') } : {}),
    ...(traits.length > 0 ? { PJRT_FAULTS_TRAITS: traits.join(',') } : {}),
  };
}

/** Whether a plugin needs the library with the faults. */
export const isFaulty = (recipe: Recipe): boolean => environmentOf(recipe, '').PJRT_FAULT !== undefined;

/** The functions that a plugin lacks, in table order. */
export function gapsOf(recipe: Recipe): [string, Gap][] {
  const all = Abi.at(recipe.minor ?? NEWEST_MINOR).functions.map((name) => name.replace(/^PJRT_/, ''));
  const { slots = {}, keep, rest = 'null', without: share } = recipe;
  return all.flatMap((name, i): [string, Gap][] => {
    if (slots[name] !== undefined) return [[name, slots[name]]];
    const missing =
      keep !== undefined
        ? !keep.includes(name)
        : share !== undefined && i >= share.from && (i - share.from) % share.every === 0;
    return missing ? [[name, rest]] : [];
  });
}
