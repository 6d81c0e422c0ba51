import { readFileSync } from 'node:fs';
import { packagePath } from '../../harness/base/paths.ts';
import { parseYaml } from '../../harness/suite/located-yaml.ts';
import { throwIfAny } from '../../harness/suite/problem.ts';
import { checkSchema, validator } from '../../harness/suite/schema-check.ts';

/** Where a fault can be planted: any base, the reference plugin as a base, or a build of the reference plugin itself. */
type FaultBase = 'any' | 'reference' | 'inside';

/** One fault of plugins/faults/catalogue.yaml. */
export interface Fault {
  name: string;
  area: string;
  /** The defect as a vendor could ship it. */
  defect: string;
  /** Where it was seen, or the requirement that it is derived from. */
  from: string[];
  /** The kind that it is one of. */
  kind?: string;
  base: FaultBase;
  /** Cases that could detect it: globs on ids, or suites with everything below them. */
  suites: string[];
  /** Requirements that it violates. */
  breaks: string[];
  /**
   * Globs on cases that detect it although they do not cover the violated requirement; `(run)` is the verdict outside cases.
   */
  cases: string[];
  /** Number of plugins that the cases need in one process. */
  plugins: number;
  /** The consumer that it affects, as for `--as-api`; one of the plugin's own version is not affected. */
  asApi?: string;
  /** Further environment variables of the workers. */
  env: Record<string, string>;
  /** The manifest allows arrays beyond 2 GiB. */
  largeArrays?: true;
  /** Another build of the library. */
  build?: 'exporting' | 'unresolved';
  /** Why no check can detect it. */
  survives?: string;
  /** Why none can on plugins of some designs. */
  survivesOn?: { designs: string[]; because: string }[];
}

/** Name of findings outside cases: the plugin could not be used, or a note violates a MUST. */
export const RUN = '(run)';

const FILE = packagePath('plugins', 'faults', 'catalogue.yaml');

type Entry = Omit<Fault, 'name' | 'area' | 'base' | 'plugins' | 'env' | 'cases'> & Partial<Fault>;

/** The form of the file. */
interface Catalogue {
  kinds: Record<string, { is: string; suites?: string[] }>;
  areas: Record<string, Record<string, Entry>>;
}

function read(file: string): Catalogue {
  const document = parseYaml(readFileSync(file, 'utf8'), file);
  throwIfAny(document.problems);
  throwIfAny(checkSchema(validator('faults.schema.json'), document));
  return document.value as Catalogue;
}

/** What the faults of each kind have in common, by its name. */
export const loadKinds = (): Map<string, string> =>
  new Map(Object.entries(read(FILE).kinds).map(([name, { is }]) => [name, is]));

/** Reads the catalogue. @throws SuiteError with every problem of its form */
export function loadCatalogue(file: string = FILE): Fault[] {
  const { areas, kinds } = read(file);
  return Object.entries(areas).flatMap(([area, faults]) =>
    Object.entries(faults).map(([name, entry]) => ({
      base: 'any' as const,
      plugins: 1,
      env: {},
      cases: [],
      ...entry,
      suites: [...entry.suites, ...(kinds[entry.kind ?? '']?.suites ?? [])],
      name,
      area,
    })),
  );
}
