import type { CommandEnvironment } from '../../base/environment.ts';
import { discover } from '../../host/plugins/discover.ts';
import { COMPARISON_FORMATS } from '../../report/compare/formats.ts';
import { DEFAULT_FORMATS, REPORT_FORMATS } from '../../report/index.ts';
import { TREND_FORMATS } from '../../report/trend/formats.ts';
import { PROFILES } from '../../suite/profiles.ts';
import { withParents } from '../../suite/select.ts';
import type { Case } from '../../suite/types.ts';
import { FRAMEWORKS } from '../../verdict/frameworks/load.ts';

/** Completions: words with descriptions, and also files if `files` is set. */
export interface Candidates {
  values: [value: string, description: string][];
  files?: true;
}

const FILES = new Set(['file', 'path', 'dir', 'log', 'logs', 'paths', 'bundle', 'run', 'runs']);

const plain = (values: Iterable<string>): Candidates['values'] =>
  [...new Set(values)].sort().map((value) => [value, '']);

async function allCases(): Promise<Case[]> {
  const { loadAllSuites } = await import('../../run/suites/load-suites.ts');
  return (await loadAllSuites()).flatMap((suite) => suite.cases);
}

/** What can be named as a plugin. */
async function plugins({ env, cwd }: CommandEnvironment): Promise<Candidates> {
  const found = await discover(env, cwd);
  const named = found.filter(({ name, status }) => name !== undefined && status !== 'ignored');
  return { values: named.map(({ name, description }) => [name!, description ?? '']), files: true };
}

/** By the name of an option or argument, or by those of its command and of it. */
const BY_NAME: Readonly<Record<string, (environment: CommandEnvironment) => Candidates | Promise<Candidates>>> = {
  plugin: plugins,
  plugins,
  control: plugins,
  suite: async () => ({ values: plain((await allCases()).flatMap(({ suite }) => withParents(suite))) }),
  tests: async () => ({ values: plain((await allCases()).map(({ suite, name }) => `${suite}:${name}`)) }),
  exclude: async () => ({ values: plain((await allCases()).map(({ suite, name }) => `${suite}:${name}`)) }),
  tag: async () => ({ values: plain((await allCases()).flatMap(({ tags }) => tags)) }),
  requirement: async () => ({ values: plain((await allCases()).flatMap(({ covers }) => covers)) }),
  profile: () => ({
    values: [
      ...Object.entries(PROFILES).map(([name, { description }]): [string, string] => [name, description]),
      ...FRAMEWORKS.map((name): [string, string] => [name, 'what its newest known release calls, as a gate']),
    ],
  }),
  report: () => ({
    values: REPORT_FORMATS.filter(({ name }) => !DEFAULT_FORMATS.includes(name)).map(({ name, description }) => [
      name,
      description,
    ]),
  }),
  'compare report': () => ({ values: COMPARISON_FORMATS.map(({ name, description }) => [name, description]) }),
  'compare format': () => ({ values: COMPARISON_FORMATS.map(({ name, description }) => [name, description]) }),
  'trend report': () => ({ values: TREND_FORMATS.map(({ name, description }) => [name, description]) }),
  'trend format': () => ({ values: TREND_FORMATS.map(({ name, description }) => [name, description]) }),
  mustpass: async () => {
    const { mustpassReleases } = await import('../../verdict/mustpass/release.ts');
    return {
      values: mustpassReleases().map(({ version, frozen }): [string, string] => [version, `frozen on ${frozen}`]),
    };
  },
  framework: () => ({ values: plain(FRAMEWORKS) }),
  needs: () => ({ values: plain(FRAMEWORKS) }),
};

/** Completions of an option or argument of a command; `kind` is the word in its placeholder. */
export async function candidatesFor(
  command: string,
  name: string,
  kind: string,
  environment: CommandEnvironment,
): Promise<Candidates> {
  const key = [`${command} ${name}`, name].find((one) => Object.hasOwn(BY_NAME, one));
  if (key !== undefined) return BY_NAME[key]!(environment);
  return FILES.has(kind) ? { values: [], files: true } : { values: [] };
}
