import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { packagePath } from '../../harness/base/paths.ts';
import { loadAllSuites } from '../../harness/run/suites/load-suites.ts';
import { compileSuites } from '../../harness/suite/compiled.ts';
import type { Case } from '../../harness/suite/types.ts';
import { baseName, DesignError, loadDesign } from '../designs/design.ts';
import { buildDesigns, manifestOf } from '../designs/plugin.ts';
import { resolveHere } from '../resolve-here.ts';
import type { Fault } from './catalogue.ts';
import { couldCatch, isMonitored, means } from './judge.ts';
import { buildFaults, buildInside, sourceDigests } from './library.ts';
import { type Base, originOf } from './runs.ts';

/** A fault, with everything needed to run it. */
export interface Plan {
  fault: Fault;
  /** Ids of the cases that the catalogue names, in suite order. */
  cases: string[];
  libraries: { faults: string; clean: string; inside?: string };
  /** Digest of the fault, its sources, the base and the cases. */
  key: unknown;
  /** Faults with the same setting share their runs of the clean base. */
  setting: string;
}

const suites = await loadAllSuites();
const cases = new Map(suites.flatMap((suite) => suite.cases.map((c) => [c.id, c] as const)));

/** Every case of the suites by id. */
export const casesById: ReadonlyMap<string, Case> = cases;

const digests = new Map<string, string>();

/** Digest of a case, independent of the location of the package. */
export function caseDigest(id: string): string {
  const known = digests.get(id);
  if (known !== undefined) return known;
  const { file: _, line: __, ...testCase } = cases.get(id)!;
  const sorted = Object.entries(testCase).sort(([a], [b]) => (a < b ? -1 : 1));
  const digest = createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
  digests.set(id, digest);
  return digest;
}

/** The suites in their compiled form. */
export const compiledSuites = (): string => compileSuites(suites);

/** Makes the plugin of a design in which faults are planted. @throws DesignError, SuiteError, CompileError */
export async function designBase(name: string, origin: Base): Promise<Base> {
  const design = loadDesign(name);
  const of = baseName(origin.name);
  if (design.bases?.includes(of) === false) throw new DesignError(`${name}: no plugin of this design is made of ${of}`);
  if (design.cases) throw new DesignError(`${name}: too slow to run every case as often as there are faults`);
  const library = await buildDesigns();
  const plugin = { ...(await resolveHere(of)), library: origin.library };
  const manifest = manifestOf(design, { name: of, plugin }, library) as NonNullable<Base['design']>['manifest'];
  const { library: _, env, ...said } = manifest;
  // Paths differ between checkouts; only the contents count.
  const { PJRT_DESIGN_BASE: __, ...settings } = env;
  const sha256 = createHash('sha256')
    .update(JSON.stringify([origin.sha256, fileDigest(library), settings, said]))
    .digest('hex');
  return {
    name: design.name,
    library,
    sha256,
    ...(origin.companion === undefined ? {} : { companion: origin.companion }),
    design: { of, manifest },
  };
}

/** Resolves the plugin in which faults are planted. */
export async function resolveBase(spec: string | undefined): Promise<Base> {
  const named = spec ?? (existsSync(packagePath('plugins', 'known', 'reference.yaml')) ? 'reference' : 'xla-cpu');
  const plugin = await resolveHere(named);
  return { name: plugin.manifest?.name ?? plugin.name, library: plugin.library, sha256: plugin.sha256 };
}

/** A second plugin for faults that need one: not the base, because a plugin shares everything with itself. */
export const companionOf = async ({ name }: Base): Promise<string> =>
  (await resolveHere(name === 'xla-cpu' ? 'reference' : 'xla-cpu')).library;

/** Ids of the cases that a fault names. */
export const selected = (fault: Fault, ids: Iterable<string>): string[] =>
  [...ids].filter((id) => fault.suites.some((glob) => means(glob, id)));

/** Up to so many faults are built without the sources of others. */
const FEW = 20;

/** Which cases run. */
export interface Extent {
  /** Every case for every fault, instead of the suites that the catalogue names. */
  full?: boolean;
  /** Instead, cases among these that could detect the fault. */
  within?: ReadonlySet<string> | undefined;
}

/** Plans the faults that can be planted in this base. */
export async function planFaults(faults: readonly Fault[], base: Base, extent: Extent): Promise<Plan[]> {
  const { full = false, within } = extent;
  const isReference = originOf(base) === 'reference';
  const inside = isReference && faults.some((fault) => fault.base === 'inside') ? await buildInside() : undefined;
  const digests = sourceDigests();
  const plans: Plan[] = [];
  const libraries = new Map<string, Promise<string>>();
  const built = (variant: NonNullable<Fault['build']> | 'plain'): Promise<string> => {
    const library = libraries.get(variant) ?? buildFaults(variant, few);
    libraries.set(variant, library);
    return library;
  };
  // A few faults need few sources, and those of all take minutes to build.
  const few = faults.length < FEW ? faults.map(({ name }) => name) : undefined;
  for (const fault of faults) {
    // The explanation of an undetected fault does not affect its result.
    const { survives: _, survivesOn: __, ...what } = fault;
    if (fault.base !== 'any' && !isReference) continue;
    const [library, clean] = [await built(fault.build ?? 'plain'), await built('plain')];
    const known = [...casesById.keys()];
    const ids = within
      ? known.filter((id) => within.has(id) && (isMonitored(fault) || couldCatch(fault, id, cases.get(id)!.covers)))
      : full
        ? known
        : selected(fault, known);
    plans.push({
      fault,
      cases: ids,
      libraries: { faults: library, clean, ...(inside === undefined ? {} : { inside }) },
      key: [
        what,
        fault.base === 'inside' ? fileDigest(inside!) : digests.get(fault.name),
        base.sha256,
        ...(fault.plugins > 1 ? [fileDigest(base.companion!)] : []),
        ids.map(caseDigest),
      ],
      setting: settingOf(fault),
    });
  }
  return plans;
}

const settingOf = (fault: Fault): string =>
  JSON.stringify([fault.base === 'inside', fault.plugins, fault.env, fault.asApi, fault.largeArrays]);

/** The same cases and fault, with a consumer of the plugin's own version. */
export function asDefaultCaller(plan: Plan): Plan {
  const { asApi: _, ...fault } = plan.fault;
  return { ...plan, fault, setting: settingOf(fault) };
}

const fileDigests = new Map<string, string>();

/** SHA-256 of a file, for keys. */
function fileDigest(file: string): string {
  const digest = fileDigests.get(file) ?? createHash('sha256').update(readFileSync(file)).digest('hex');
  fileDigests.set(file, digest);
  return digest;
}
