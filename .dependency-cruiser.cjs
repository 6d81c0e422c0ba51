/**
 * The rooms of harness/, from top to bottom: a room imports itself and the rooms below it (docs/architecture.md). Where a room
 * lists directories, the same holds among them; `.` stands for all else in it.
 */
const ROOMS = {
  cli: [],
  api: [],
  commands: [
    'record',
    'trace',
    'results',
    'doctor',
    'bundle',
    'coexist',
    'compat',
    'reduce',
    'explore',
    'fuzz',
    'inspect',
    'verify',
  ],
  run: ['.', 'devices', 'record', 'plan', 'finish', 'files', 'plugin', 'suites', 'fleet'],
  worker: ['.', 'probes', 'steps', 'pjrt', 'ffi'],
  host: ['.', 'devices', 'plugins', 'store', 'wire'],
  report: ['trend', 'compare', '.'],
  verdict: ['expectations', 'frameworks', 'mustpass', '.'],
  suite: ['collections', '.'],
  knowledge: ['trace', 'arrays', 'recorded', 'programs', 'numerics', 'binary', 'abi'],
  model: [],
  base: [],
};

const TEST = '\\.test(-helper)?\\.tsx?$';

/** A list in order, as a rule for each of its members. @param of the directory that holds them */
const inOrder = (of, names) =>
  names.map((name, i) => ({
    name: `order-${of.replace(/\/$/, '').replaceAll('/', '-')}-${name === '.' ? 'itself' : name}`,
    comment: `${of}${name} may import only: ${names.slice(i).join(', ')}`,
    severity: 'error',
    from: { path: filesOf(of, name, names), pathNot: TEST },
    to: { path: `^${of}`, pathNot: names.slice(i).map((below) => filesOf(of, below, names)) },
  }));

const filesOf = (of, name, names) =>
  `^${of}${name === '.' ? `(?!(${names.filter((other) => other !== '.').join('|')})/)` : `${name}/`}`;

module.exports = {
  forbidden: [
    ...inOrder('harness/', Object.keys(ROOMS)),
    ...Object.entries(ROOMS).flatMap(([room, names]) => inOrder(`harness/${room}/`, names)),
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    // What the order does not say, each with its reason.
    {
      name: 'nothing-outside-worker-reaches-worker',
      comment: 'A plugin is loaded by worker processes only: the parent must outlive it.',
      severity: 'error',
      from: { path: '^harness/(?!worker/)', pathNot: TEST },
      to: { path: '^harness/worker/' },
    },
    {
      name: 'koffi-only-in-ffi',
      comment: 'Native calls are made in one place, guarded and recorded.',
      severity: 'error',
      from: { pathNot: '^harness/worker/ffi/' },
      to: { path: 'node_modules/koffi' },
    },
    {
      name: 'verify-trusts-nothing',
      comment: 'It shares no code with what writes the logs, reports and verdicts that it verifies.',
      severity: 'error',
      from: { path: '^harness/commands/verify/', pathNot: TEST },
      to: { path: '^harness/', pathNot: '^harness/(commands/verify|base)/' },
    },
    {
      name: 'tools-know-no-command-line',
      comment:
        'What tools share with the command is in harness/run. tools/command-line is about the command line itself: it describes it for the documentation, and runs it on hostile input.',
      severity: 'error',
      from: { path: '^tools/(?!command-line/)' },
      to: { path: '^harness/cli/' },
    },
    {
      name: 'page-takes-types-only',
      comment: 'The page of HTML reports runs in a browser: of the harness it may know types alone.',
      severity: 'error',
      from: { path: '^web/', pathNot: '\\.test\\.tsx?$' },
      to: { path: '^(harness|tools|tests)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-node-in-the-page',
      comment: 'A browser has no modules of Node.',
      severity: 'error',
      from: { path: '^web/', pathNot: '\\.test\\.tsx?$' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'page-is-imported-by-none',
      comment: 'It is a program of its own, which the build bundles.',
      severity: 'error',
      from: { pathNot: '^web/' },
      to: { path: '^web/' },
    },
    {
      name: 'no-undeclared',
      comment: 'Every package that is imported is in package.json.',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
};
