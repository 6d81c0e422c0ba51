import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Packages without a text: the libraries of koffi, which has one, that of python/licenses, and one whose siblings have the same. */
const TEXT_ELSEWHERE = /^@koromix\/koffi-|^@redis\/client$|^@sigstore\/verify$/;

/** A package inside the wheel. */
interface Carried {
  name: string;
  license: string;
  /** Whether its text is there too. */
  hasText: boolean;
}

/** The packages below `node_modules`, nested ones too. */
export function carriedPackages(directory: string): Carried[] {
  const manifests = readdirSync(join(directory, 'node_modules'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /(?:^|node_modules\/)(?:@[^/]+\/)?[^/]+\/package\.json$/.test(path))
    .map((path) => join(directory, 'node_modules', path));
  return manifests.map((path) => {
    const { name, license } = JSON.parse(readFileSync(path, 'utf8')) as { name: string; license?: string };
    const hasText = readdirSync(dirname(path)).some((file) => /^(?:licen[cs]e|copying)/i.test(file));
    return { name, license: license ?? 'unknown', hasText };
  });
}

/** The SPDX expression of a wheel: ours first, then those of the packages in it. */
const licenseExpression = (own: string, carried: readonly Carried[]): string =>
  [own, ...new Set(carried.map(({ license }) => license).filter((license) => license !== own))]
    .sort(ownFirst(own))
    .join(' AND ');

const ownFirst =
  (own: string) =>
  (a: string, b: string): number =>
    a === own ? -1 : b === own ? 1 : a < b ? -1 : 1;

/** What is wrong with the licenses in a wheel: a text that is missing, or another expression in pyproject.toml. */
export function licenseProblems(directory: string, pyproject: string, own: string): string[] {
  const carried = carriedPackages(directory);
  const expected = licenseExpression(own, carried);
  const [, written] = /^license = "(.*)"$/m.exec(pyproject) ?? [];
  return [
    ...carried
      .filter((one) => !one.hasText && !TEXT_ELSEWHERE.test(one.name))
      .map(({ name }) => `${name}: it has no license text; add one to python/licenses`),
    ...(written === expected
      ? []
      : [`python/pyproject.toml: license = ${JSON.stringify(written)}, expected ${JSON.stringify(expected)}`]),
    ...(existsSync(join(directory, 'LICENSE')) ? [] : ['LICENSE: the package does not contain its own']),
  ];
}
