import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { applyConfig } from '../../harness/cli/config/apply.ts';
import { readConfigFile } from '../../harness/cli/config/read.ts';
import { tellFailure } from '../../harness/cli/failure.ts';
import { createProgram } from '../../harness/cli/program.ts';
import { readable } from '../../harness/cli/readable.ts';
import { vocabulary } from '../../harness/cli/vocabulary.ts';
import { defaultPolicyYaml } from '../../harness/compare/policy.ts';
import { judgedAnew } from '../../harness/expectations/apply.ts';
import { readExpectations } from '../../harness/expectations/load.ts';
import { updatedExpectations } from '../../harness/expectations/update.ts';
import { packagePath } from '../../harness/paths.ts';
import { shippedPlugins } from '../../harness/plugins/known.ts';
import { resolvePlugin } from '../../harness/plugins/resolve.ts';
import { foldRun, jsonReport } from '../../harness/report/index.ts';
import { scratchFolder } from '../../harness/scratch.ts';
import { loadSets, readSuites } from '../../harness/suite/load.ts';
import { formatProblem } from '../../harness/suite/problem.ts';
import { loadRequirements } from '../../harness/suite/requirements.ts';
import { readTextFile } from '../../harness/suite/text-file.ts';
import { syntheticEvents, writeSyntheticLog } from '../bench/synthetic-log.ts';
import { bundleMaker } from './bundles.ts';
import { quietSurroundings, type Told } from './command.ts';
import type { Syntax } from './mutate.ts';
import type { Random } from './random.ts';

/** A kind of file that users hand to the command. */
export interface Surface {
  name: string;
  /** Name of the input. */
  file: string;
  syntax: Syntax;
  /** Sound files of the kind, to be changed. */
  corpus(): Buffer[];
  /** Makes inputs, where there is more to it than changing one of those. */
  maker?(): (random: Random) => Buffer;
  /** Files that stand beside the input, by name. */
  beside?(): Record<string, Buffer>;
  /** The command line that reads it. */
  args: readonly string[];
  /** Reads it by the function that the command calls, where the command itself would do much else each time. */
  read?(cwd: string, env: NodeJS.ProcessEnv): Promise<Told>;
}

/** Where commands find the input, from their working folder. */
const IN = 'in';

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

const yamlUnder = (folder: string, limit = Number.POSITIVE_INFINITY): Buffer[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).size < limit)
    .map((path) => readFileSync(path));

/** With seals, as the command writes it. */
const smallLog = once((): Buffer => {
  const folder = scratchFolder('fuzz-log');
  try {
    writeSyntheticLog(join(folder, 'events.jsonl'), 14);
    return readFileSync(join(folder, 'events.jsonl'));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const smallReport = (): Buffer => Buffer.from(JSON.stringify(jsonReport(foldRun(syntheticEvents(14))), undefined, 2));

const refused = (problems: string): Told => ({
  exitCode: problems === '' ? 0 : 2,
  stdout: '',
  stderr: readable(problems),
});

async function attempt(act: () => Promise<unknown>): Promise<Told> {
  let stderr = '';
  try {
    await act();
    return refused('');
  } catch (error) {
    const exitCode = tellFailure(error, { write: (text: string) => (stderr += text) });
    return { exitCode, stdout: '', stderr };
  }
}

const language = once(() => ({ requirements: loadRequirements(), sets: loadSets(), vocabulary: vocabulary() }));
const known = once(() => shippedPlugins());

const CONFIGS = [
  'plugin: ./foo.so\noptions: {a: 1, b: "1", c: 1.0, d: [1, 2], e: true, f: bfc}\nprofile: full\n',
  'timeouts: {call: 90, client: 1.5m}\nas-api: 0.70\nworkers: 2\nfetch: false\ntag: [smoke, numerics]\n',
  '# a comment\nsuites: [a.yaml, b]\nexclude: "errors/*"\nstrict: true\nreports: {sarif: out.sarif}\n',
];

const POLICY = `changes: {new-case: ignore, slowdown: fail}
thresholds: {ulp-drift: {ulp: 3}, slowdown: {ratio: 2, confidence: 0.99}}
exceptions:
  - match: 'numerics/*'
    changes: [ulp-drift]
    action: warn
    reason: the new exponential is faster
`;

const EXPECTATIONS = [
  'when: { plugin: "*" }\nexpectations:\n  - { cases: "*", expect: fail, reason: old, expires: 2026-12-31 }\n',
  `# a comment
expectations:
  - cases: [suite-1:*, 'suite-2:case-3[x=1]']
    expect: [crash, flaky]
    reason: |
      long
      story # not a comment
    requirements: [BUF-HOST-024]
    issue: https://example.com/1
    owner: us
    when: { apiMinor: { min: 60, max: 114 }, sha256: 'abababab', host: '*', os: linux }

  - cases: '?*'
    expect: timeout # now and then
    reason: slow
`,
];

export const SURFACES: readonly Surface[] = [
  {
    name: 'suite',
    file: 'suite.yaml',
    syntax: 'yaml',
    corpus: () =>
      [packagePath('suites'), packagePath('tests', 'suites')]
        .flatMap((folder) => yamlUnder(folder, 2500))
        .filter((bytes) => bytes.includes('\ncases:'))
        // The id is the place of the file.
        .map((bytes) => Buffer.from(bytes.toString('utf8').replace(/^suite: .*$/m, 'suite: suite'))),
    args: ['validate', `${IN}/suite.yaml`],
    read: async (cwd) => {
      const { problems } = readSuites([join(cwd, IN, 'suite.yaml')], language());
      return refused(problems.map(formatProblem).join('\n'));
    },
  },
  {
    name: 'manifest',
    file: 'plugin.yaml',
    syntax: 'yaml',
    corpus: () => yamlUnder(packagePath('plugins', 'known')),
    beside: () => ({ 'lib.so': Buffer.from('not a library') }),
    args: ['inspect', `${IN}/plugin.yaml`, '--no-fetch'],
    read: (cwd, env) =>
      attempt(async () =>
        resolvePlugin(`${IN}/plugin.yaml`, {
          cwd,
          env,
          cacheDir: join(cwd, 'out', 'cache'),
          optionArgs: [],
          fetch: false,
          known: await known(),
        }),
      ),
  },
  {
    name: 'config',
    file: 'config.yaml',
    syntax: 'yaml',
    corpus: () => CONFIGS.map((text) => Buffer.from(text)),
    args: ['list', '--config', `${IN}/config.yaml`, '--suite', 'load'],
    // `run` knows every key, but would run.
    read: (cwd, env) =>
      attempt(async () => {
        const folder = join(cwd, IN);
        const acting = createProgram(quietSurroundings(cwd, env), () => {}).commands.find((c) => c.name() === 'run')!;
        applyConfig(acting, readConfigFile(join(folder, 'config.yaml'), cwd), { folder, cwd });
      }),
  },
  {
    name: 'log',
    file: 'events.jsonl',
    syntax: 'jsonl',
    corpus: () => [smallLog()],
    args: ['report', `${IN}/events.jsonl`, '--output', 'out', '--no-github'],
  },
  {
    name: 'compared-log',
    file: 'events.jsonl',
    syntax: 'jsonl',
    corpus: () => [smallLog()],
    beside: () => ({ 'base.jsonl': smallLog() }),
    args: ['compare', `${IN}/base.jsonl`, `${IN}/events.jsonl`, '--no-github'],
  },
  {
    name: 'report-json',
    file: 'report.json',
    syntax: 'json',
    corpus: () => [smallReport()],
    beside: () => ({ 'base.jsonl': smallLog() }),
    args: ['compare', `${IN}/base.jsonl`, `${IN}/report.json`, '--no-github'],
  },
  {
    name: 'policy',
    file: 'policy.yaml',
    syntax: 'yaml',
    corpus: () => [Buffer.from(defaultPolicyYaml()), Buffer.from(POLICY)],
    beside: () => ({ 'base.jsonl': smallLog() }),
    args: ['compare', `${IN}/base.jsonl`, `${IN}/base.jsonl`, '--no-github', '--policy', `${IN}/policy.yaml`],
  },
  {
    name: 'expectations',
    file: 'expectations.yaml',
    syntax: 'yaml',
    corpus: () => EXPECTATIONS.map((text) => Buffer.from(text)),
    beside: () => ({ 'base.jsonl': smallLog() }),
    args: ['report', `${IN}/base.jsonl`, '--output', 'out', '--no-github', '--expectations', `${IN}/expectations.yaml`],
    // What holds a run against the file, and what brings it up to date, without the reports of the run.
    read: (cwd) =>
      attempt(async () => {
        const path = join(cwd, IN, 'expectations.yaml');
        const file = readExpectations(path, `${IN}/expectations.yaml`);
        const events = [...syntheticEvents(14)];
        const run = foldRun(
          judgedAnew(
            events,
            foldRun(events),
            () => ({ files: [file], date: '2026-06-15' }),
            () => [],
          ),
        );
        updatedExpectations(readTextFile(path), file.file, run, [...run.cases.keys()]);
      }),
  },
  {
    name: 'bundle',
    file: 'bundle.zip',
    syntax: 'zip',
    corpus: () => [],
    maker: () => bundleMaker(smallLog()),
    args: ['verify', `${IN}/bundle.zip`],
  },
];
