import { readFileSync } from 'node:fs';
import { packagePath } from '../../harness/base/paths.ts';
import { Abi, NEWEST_MINOR } from '../../harness/knowledge/abi/index.ts';
import { matchesCase } from '../../harness/suite/case-glob.ts';
import { parseYaml } from '../../harness/suite/located-yaml.ts';
import { throwIfAny } from '../../harness/suite/problem.ts';
import { checkSchema, validator } from '../../harness/suite/schema-check.ts';
import { loadDesign } from '../designs/design.ts';
import { buildDesigns, environmentOf as designEnvironment } from '../designs/plugin.ts';
import { buildFaults } from '../mutation/library.ts';

type Gap = 'null' | 'UNIMPLEMENTED' | 'INTERNAL';

/** How a plugin of plugins.yaml is made. */
export interface Recipe {
  /** A known plugin. */
  base: 'xla-cpu' | 'xla-cpu-106' | 'xla-cpu-115' | 'reference';
  minor?: number;
  fault?: string;
  /** By function, without the `PJRT_` prefix. */
  slots?: Record<string, Gap>;
  /** Every N-th function from the K-th on is NULL. */
  without?: { every: number; from: number };
  /** All others are NULL. */
  keep?: string[];
  /** A design of plugins/designs, or several joined by `+`. */
  design?: string;
}

/** A plugin that both `compat` and JAX are tried with. */
export interface Subject {
  name: string;
  group: string;
  recipe: Recipe;
}

/** Known limit of the prediction, and why. */
interface Limit {
  /** Globs over `plugin@release`. */
  where: string[];
  reason: string;
}

interface Comparison {
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

/** Whether the library with the designs makes this plugin from its base. */
export const isDesigned = (recipe: Recipe): boolean => recipe.design !== undefined || gapsOf(recipe).length > 0;

/**
 * The environment that turns the outermost library into this plugin: the one with the fault, that with the design, or the
 * base.
 */
export function environmentOf(recipe: Recipe, libraries: { base: string; designs: string }): Record<string, string> {
  return {
    ...(recipe.minor === undefined ? {} : { PJRT_REFERENCE_API_MINOR: String(recipe.minor) }),
    ...(isDesigned(recipe) ? designSettings(recipe, libraries.base) : {}),
    ...(recipe.fault === undefined
      ? {}
      : { PJRT_FAULTS_BASE: isDesigned(recipe) ? libraries.designs : libraries.base, PJRT_FAULT: recipe.fault }),
  };
}

function designSettings(recipe: Recipe, base: string): Record<string, string> {
  const settings = recipe.design === undefined ? {} : designEnvironment(loadDesign(recipe.design), base);
  const { PJRT_DESIGN_SLOTS: lacking, ...rest } = settings as Record<string, string>;
  const slots = [...(lacking?.split(',') ?? []), ...gapsOf(recipe).map(([name, gap]) => `${name}=${gap}`)];
  return { ...rest, PJRT_DESIGN_BASE: base, ...(slots.length > 0 ? { PJRT_DESIGN_SLOTS: slots.join(',') } : {}) };
}

/** The functions that a plugin lacks, in table order. */
export function gapsOf(recipe: Recipe): [string, Gap][] {
  const all = Abi.at(recipe.minor ?? NEWEST_MINOR).functions.map((name) => name.replace(/^PJRT_/, ''));
  const { slots = {}, keep, without: share } = recipe;
  return all.flatMap((name, i): [string, Gap][] => {
    if (slots[name] !== undefined) return [[name, slots[name]]];
    const missing =
      keep !== undefined
        ? !keep.includes(name)
        : share !== undefined && i >= share.from && (i - share.from) % share.every === 0;
    return missing ? [[name, 'null']] : [];
  });
}

/** A plugin to load, and the environment that gives it the properties of its recipe. */
interface Assembled {
  library: string;
  env: Record<string, string>;
}

/** Builds what a recipe needs around its base. @throws CompileError */
export async function assemble(recipe: Recipe, base: string): Promise<Assembled> {
  const designs = isDesigned(recipe) ? await buildDesigns() : base;
  const library = recipe.fault === undefined ? designs : await buildFaults();
  return { library, env: environmentOf(recipe, { base, designs }) };
}
