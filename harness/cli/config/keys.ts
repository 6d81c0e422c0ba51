/** How a command-line option is written in pjrt-conformance.yaml. */
export interface ConfigKey {
  /** Name in the file; `timeouts.call` is `call` in the mapping `timeouts`. */
  key: string;
  /** Written as a mapping: create options by name, or reports by format. */
  form?: 'options' | 'reports';
  /** Its value may be a path, which is relative to the file. */
  path?: true;
  /** Commands that read it. Default: every command that reads the file and has the option, or an argument of that name. */
  commands?: readonly string[];
  /** The corresponding option or argument, for commands that name it differently. */
  as?: Readonly<Record<string, string>>;
}

const OF_THE_RUN = {
  commands: ['run', 'report', 'bundle', 'open'],
  as: { report: 'logs', bundle: 'log', open: 'run' },
};

/** Commands that run cases. Files that one of them writes, and lists of its cases, are those of `run` alone. */
const RUNS = ['run', 'programs'];

/**
 * The keys of the file, by option. Type, choices and description come from the option, and the schema from both (`npm run
 * docs`): a new option becomes a key with one line here. Options for a single run belong in {@link COMMAND_LINE_ONLY}.
 */
export const CONFIG_KEYS: Readonly<Record<string, ConfigKey>> = {
  plugin: { key: 'plugin', path: true },
  option: { key: 'options', form: 'options' },
  suites: { key: 'suites', path: true, as: { validate: 'paths' } },
  profile: { key: 'profile' },
  suite: { key: 'suite' },
  // Globs on the ids of suites.
  tests: { key: 'tests', commands: ['run', 'list'] },
  tag: { key: 'tag' },
  requirement: { key: 'requirement' },
  exclude: { key: 'exclude', commands: ['run', 'list'] },
  workers: { key: 'workers' },
  binding: { key: 'binding' },
  host: { key: 'host' },
  nodes: { key: 'nodes' },
  store: { key: 'store' },
  'as-api': { key: 'as-api' },
  exclusive: { key: 'exclusive' },
  'wait-device': { key: 'wait-device' },
  'reset-command': { key: 'reset-command' },
  backtrace: { key: 'backtrace' },
  fetch: { key: 'fetch' },
  'allow-build': { key: 'allow-build' },
  numerics: { key: 'numerics' },
  strict: { key: 'strict', commands: RUNS },
  'accept-known': { key: 'accept-known', commands: RUNS },
  'allow-flaky': { key: 'allow-flaky', commands: RUNS },
  expectations: { key: 'expectations', path: true, commands: ['run'] },
  'strict-expectations': { key: 'strict-expectations', commands: ['run'] },
  repeat: { key: 'repeat' },
  'rerun-failed': { key: 'rerun-failed' },
  'max-failures': { key: 'max-failures' },
  budget: { key: 'budget', commands: RUNS },
  baseline: { key: 'baseline', path: true, commands: ['run'] },
  gate: { key: 'gate', commands: ['run'] },
  policy: { key: 'policy', path: true, commands: ['run', 'compare'] },
  'timeout-case': { key: 'timeouts.case' },
  'timeout-call': { key: 'timeouts.call' },
  'timeout-first': { key: 'timeouts.first' },
  'timeout-client': { key: 'timeouts.client', as: { doctor: 'timeout' } },
  'timeout-load': { key: 'timeouts.load' },
  'timeout-exit': { key: 'timeouts.exit' },
  // Comparisons have other formats than runs.
  report: { key: 'reports', form: 'reports', commands: ['run', 'report'] },
  'junit-flavor': { key: 'junit-flavor' },
  'junit-hostname': { key: 'junit-hostname' },
  github: { key: 'github' },
  // Commands about an existing run look for it where runs are written.
  output: { key: 'output', path: true, ...OF_THE_RUN },
  events: { key: 'events', path: true, ...OF_THE_RUN },
};

/** `--timeout call=`: the form of an option that only stands for a part of `--timeout`. */
export const asDeadline = (name: string): string | undefined =>
  name.startsWith('timeout-') ? `--timeout ${name.slice('timeout-'.length)}=` : undefined;

/** Options that the file cannot set, and why. */
export const COMMAND_LINE_ONLY: Readonly<Record<string, string>> = {
  config: 'says which file to read',
  timeout: 'is `timeouts: {case: 30s}` in the file',
  junit: 'is `reports: {junit: FILE}` in the file',
  json: 'is `reports: {json: FILE}` in the file',
  'tests-from': 'is for one run, mostly to rerun failures',
  'failed-of': 'is for one run, to rerun failures',
  'last-failed': 'is for one run, to rerun failures',
  watch: 'is for a terminal',
  resume: 'resumes one run',
  'update-expectations': 'writes a file that people must review',
  shard: 'differs between the machines of a run',
  'device-env': 'differs between machines',
  'across-devices': 'belongs to --device-env',
  node: 'differs between the machines of a run',
  outcomes: 'is for the program that reads it during the run',
  'dry-run': 'runs nothing',
  durations: 'belongs to --shard',
  mustpass: 'is for a run that is submitted, which has no options of its own',
  statement: 'belongs to --mustpass',
  waivers: 'belongs to --mustpass',
  quiet: 'depends on who reads the output',
  verbose: 'depends on who reads the output',
  debug: 'is for one run, to debug a plugin',
  gdb: 'is for one case',
  lldb: 'is for one case',
  rr: 'is for one case',
  break: 'is for one case',
  color: 'depends on who reads the output',
};
