import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../harness/base/paths.ts';
import { readTextFile } from '../../harness/base/text-file.ts';
import { UsageError } from '../../harness/base/usage-error.ts';
import { shippedPlugins } from '../../harness/host/plugins/known.ts';
import { resolvePlugin } from '../../harness/host/plugins/resolve.ts';
import { foldRun } from '../../harness/model/run.ts';
import { COMPARISON_FORMATS } from '../../harness/report/compare/formats.ts';
import { defaultPolicyYaml } from '../../harness/report/compare/policy.ts';
import { writeDurations } from '../../harness/report/durations.ts';
import { jsonReport, REPORT_FORMATS } from '../../harness/report/index.ts';
import { TREND_FORMATS } from '../../harness/report/trend/formats.ts';
import { updatedExpectations } from '../../harness/report/updated-expectations.ts';
import { readStatement, readWaivers } from '../../harness/run/files/submission.ts';
import { loadAllSuites } from '../../harness/run/suites/load-suites.ts';
import { testList } from '../../harness/run/suites/selection.ts';
import { vocabulary } from '../../harness/run/suites/vocabulary.ts';
import { loadSets, readSuites } from '../../harness/suite/load.ts';
import { formatProblem } from '../../harness/suite/problem.ts';
import { loadRequirements } from '../../harness/suite/requirements.ts';
import { selectCases } from '../../harness/suite/select.ts';
import { reevaluated } from '../../harness/verdict/expectations/apply.ts';
import { parseExpectations, readExpectations } from '../../harness/verdict/expectations/load.ts';
import { applyToRun, attempt, refused } from '../command-line/command.ts';
import { answersSurface } from './answers.ts';
import { bundleMaker } from './bundles.ts';
import { logBytes, packable, plainEvents, resealed, richEvents, shardEvents } from './logs.ts';
import { mutant } from './mutate.ts';
import { resumeSurface } from './resume.ts';
import type { Surface } from './surface.ts';
import { traceSurface } from './traces.ts';
import { wordsOf } from './words.ts';

/** Path of the input for commands, relative to their working directory. */
const IN = 'in';

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

const yamlUnder = (directory: string, limit = Number.POSITIVE_INFINITY): Buffer[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).size < limit)
    .map((path) => readFileSync(path));

const packableRun = once(() => packable(IN));

const richLog = once(() => logBytes(richEvents()));

/** Another run than {@link richLog}: a trend counts none twice. */
const earlierLog = once(() => {
  const [header, ...events] = richEvents();
  return logBytes([{ ...header, startedAt: '2020-01-01T00:00:00.000Z' } as (typeof events)[number], ...events]);
});

const durations = once(() => {
  let text = '';
  writeDurations(foldRun(richEvents()), (chunk) => (text += chunk), {});
  return Buffer.from(text);
});

const allReports = REPORT_FORMATS.flatMap(({ name }) => ['--report', name]);

const allTrends = TREND_FORMATS.flatMap(({ name, file }) => ['--report', `${name}=out/${file}`]);

const allComparisons = COMPARISON_FORMATS.flatMap(({ name, file }) => ['--report', `${name}=out/${file}`]);

const language = once(() => ({ requirements: loadRequirements(), sets: loadSets(), vocabulary: vocabulary() }));
const allCases = once(async () => (await loadAllSuites()).flatMap(({ cases }) => cases));
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

const STATEMENT = `# a comment
product: { vendor: example, name: foo, version: '1.2.3', url: https://example.com/foo }
plugin:
  file: pjrt-plugin-foo.so
  sha256: ${'ab'.repeat(32)}
mustpass: { version: '1.0', profile: full }
hardware: one Foo 100
driver: foo-driver 4.5.6
contact: foo@example.com
notes: |
  long
  story
`;

const WAIVERS = `waivers:
  - url: https://example.com/1
    product: example/foo
    versions: '1.2.*'
    cases: ['buffers/host-layout:*', load/*]
    reason: an example
    expires: 2027-03-31
`;

const RFC_MANIFEST = `{
  "library_path": "lib.so",
  "create_options": {"num_devices": 2, "memory_fraction": 0.75, "visible_devices": [0, 1], "allocator": "bfc"},
  "description": "as the RFC has it",
  "env": {"TF_CPP_MIN_LOG_LEVEL": "1"}
}
`;

const TESTS = `# cases that failed
load/table:version
  load/table:size

load/table:slots
`;

/** Resolves the library of a manifest, like every command that takes a plugin. */
const resolved = (file: string): Pick<Surface, 'beside' | 'args' | 'read'> => ({
  beside: () => ({ 'lib.so': Buffer.from('not a library') }),
  args: ['inspect', `${IN}/${file}`, '--no-fetch'],
  read: (cwd, env) =>
    attempt(async () =>
      resolvePlugin(`${IN}/${file}`, {
        cwd,
        env,
        cacheDir: join(cwd, 'out', 'cache'),
        optionArgs: [],
        fetch: false,
        known: await known(),
      }),
    ),
});

export const SURFACES: readonly Surface[] = [
  {
    name: 'suite',
    file: 'suite.yaml',
    syntax: 'yaml',
    schema: 'suite.schema.json',
    corpus: () =>
      [packagePath('suites'), packagePath('tests', 'suites')]
        .flatMap((directory) => yamlUnder(directory, 2500))
        .filter((bytes) => bytes.includes('\ncases:'))
        // The id is the path of the file.
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
    schema: 'plugin-manifest.schema.json',
    corpus: () => yamlUnder(packagePath('plugins', 'known')),
    ...resolved('plugin.yaml'),
  },
  {
    name: 'manifest-json',
    file: 'plugin.json',
    syntax: 'json',
    schema: 'plugin-manifest.schema.json',
    corpus: () => [Buffer.from(RFC_MANIFEST)],
    ...resolved('plugin.json'),
  },
  {
    name: 'config',
    file: 'config.yaml',
    syntax: 'yaml',
    schema: 'config.schema.json',
    corpus: () => CONFIGS.map((text) => Buffer.from(text)),
    args: ['list', '--config', `${IN}/config.yaml`, '--suite', 'load'],
    // `run` reads every key, but would run.
    read: (cwd, env) => attempt(async () => applyToRun(join(cwd, IN), cwd, env)),
  },
  {
    name: 'tests-from',
    file: 'tests.txt',
    syntax: 'text',
    corpus: () => [Buffer.from(TESTS)],
    args: ['list', '--tests-from', `${IN}/tests.txt`],
    read: (cwd) =>
      attempt(async () => {
        const { unmatched } = selectCases(await allCases(), { testsFrom: testList(join(IN, 'tests.txt'), cwd) });
        if (unmatched.length > 0) throw new UsageError(unmatched.map(formatProblem).join('\n'));
      }),
  },
  {
    name: 'log',
    file: 'events.jsonl',
    syntax: 'jsonl',
    schema: 'events.schema.json',
    corpus: () => [richLog(), logBytes(plainEvents())],
    args: ['report', `${IN}/events.jsonl`, '--output', 'out', '--no-github', ...allReports],
  },
  {
    name: 'log-of-a-part',
    file: 'events.jsonl',
    syntax: 'jsonl',
    schema: 'events.schema.json',
    corpus: () => [logBytes(shardEvents(1))],
    beside: () => ({ 'other.jsonl': logBytes(shardEvents(2)) }),
    args: [
      'report',
      `${IN}/events.jsonl`,
      `${IN}/other.jsonl`,
      '--allow-missing',
      '--output',
      'out',
      '--no-github',
      ...allReports,
    ],
  },
  {
    name: 'compared-log',
    file: 'events.jsonl',
    syntax: 'jsonl',
    schema: 'events.schema.json',
    corpus: () => [richLog()],
    beside: () => ({ 'base.jsonl': richLog() }),
    args: ['compare', `${IN}/base.jsonl`, `${IN}/events.jsonl`, '--no-github', ...allComparisons],
  },
  {
    name: 'trend-log',
    file: 'events.jsonl',
    syntax: 'jsonl',
    schema: 'events.schema.json',
    corpus: () => [richLog()],
    beside: () => ({ 'base.jsonl': earlierLog() }),
    args: ['trend', `${IN}/base.jsonl`, `${IN}/events.jsonl`, '--expectations', 'out/unstable.yaml', ...allTrends],
  },
  {
    name: 'baseline',
    file: 'report.json',
    syntax: 'json',
    schema: 'report.schema.json',
    corpus: () => [Buffer.from(JSON.stringify(jsonReport(foldRun(richEvents())), undefined, 2))],
    beside: () => ({ 'now.jsonl': richLog() }),
    args: ['compare', `${IN}/report.json`, `${IN}/now.jsonl`, '--no-github', ...allComparisons],
  },
  {
    name: 'durations',
    file: 'durations.json',
    syntax: 'json',
    schema: 'durations.schema.json',
    corpus: () => [durations()],
    args: ['list', '--suite', 'load', '--shard', '1/2', '--durations', `${IN}/durations.json`],
  },
  {
    name: 'policy',
    file: 'policy.yaml',
    syntax: 'yaml',
    schema: 'gate-policy.schema.json',
    corpus: () => [Buffer.from(defaultPolicyYaml()), Buffer.from(POLICY)],
    beside: () => ({ 'base.jsonl': richLog() }),
    args: ['compare', `${IN}/base.jsonl`, `${IN}/base.jsonl`, '--no-github', '--policy', `${IN}/policy.yaml`],
  },
  {
    name: 'expectations',
    file: 'expectations.yaml',
    syntax: 'yaml',
    schema: 'expectations.schema.json',
    corpus: () => EXPECTATIONS.map((text) => Buffer.from(text)),
    beside: () => ({ 'base.jsonl': richLog() }),
    args: ['report', `${IN}/base.jsonl`, '--output', 'out', '--no-github', '--expectations', `${IN}/expectations.yaml`],
    // Compares a run with the file, and updates it, without the reports of the run.
    read: (cwd) =>
      attempt(async () => {
        const path = join(cwd, IN, 'expectations.yaml');
        const file = readExpectations(path, `${IN}/expectations.yaml`);
        const events = richEvents();
        const run = foldRun(
          reevaluated(
            events,
            foldRun(events),
            () => ({ files: [file], date: '2026-06-15' }),
            () => [],
          ),
        );
        const { text } = updatedExpectations(readTextFile(path), file.file, run, [...run.cases.keys()]);
        if (text !== undefined) parseExpectations(text, file.file);
      }),
  },
  {
    name: 'statement',
    file: 'statement.yaml',
    syntax: 'yaml',
    schema: 'statement.schema.json',
    corpus: () => [Buffer.from(STATEMENT)],
    beside: () => ({ 'bundle.zip': Buffer.from('no archive') }),
    args: ['results', 'check', IN],
    read: (cwd) => attempt(async () => readStatement(`${IN}/statement.yaml`, cwd)),
  },
  {
    name: 'waivers',
    file: 'waivers.yaml',
    syntax: 'yaml',
    schema: 'waivers.schema.json',
    corpus: () => [Buffer.from(WAIVERS)],
    args: ['results', 'check', IN],
    beside: () => ({ 'statement.yaml': Buffer.from(STATEMENT), 'bundle.zip': Buffer.from('no archive') }),
    read: (cwd) => attempt(async () => readWaivers(`${IN}/waivers.yaml`, cwd)),
  },
  {
    name: 'bundle',
    file: 'bundle.zip',
    syntax: 'zip',
    maker: () => bundleMaker(richEvents()),
    args: ['verify', `${IN}/bundle.zip`],
  },
  {
    name: 'packed-log',
    file: 'events.jsonl',
    syntax: 'jsonl',
    schema: 'events.schema.json',
    maker: () => {
      const [valid, words] = [[logBytes(packableRun().events)], wordsOf('events.schema.json')];
      return (random) => {
        const changed = mutant(random, valid, 'jsonl', words);
        return random.chance(0.7) ? resealed(changed) : changed;
      };
    },
    beside: () => packableRun().suites,
    args: ['bundle', `${IN}/events.jsonl`, '--output', 'out/bundle.zip'],
  },
  resumeSurface,
  traceSurface,
  answersSurface,
];
