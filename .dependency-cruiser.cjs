/**
 * Imports point one way (docs/architecture.md). Folders are layers; a folder may import itself and what stands in its row.
 */
const LAYERS = {
  wire: ['plugins/types', 'report/events', 'suite/types'],
  abi: [],
  numerics: ['suite/types', 'paths'],
  programs: ['paths', 'suite/types'],
  suite: ['paths'],
  report: ['verdict', 'paths'],
  verdict: ['abi', 'report'],
  plugins: ['paths', 'suite/case-glob'],
  frameworks: ['paths', 'report/events', 'verdict'],
  ffi: ['wire'],
  pjrt: ['abi', 'ffi', 'plugins/registry', 'plugins/types', 'report/events', 'wire/caller'],
  steps: ['abi', 'ffi', 'numerics', 'programs', 'pjrt', 'plugins/types', 'report/events', 'suite/types', 'wire'],
  probes: [
    'abi',
    'ffi',
    'numerics',
    'programs',
    'pjrt',
    'plugins/types',
    'steps',
    'report/events',
    'suite/types',
    'wire',
    'paths',
  ],
  worker: [
    'abi',
    'ffi',
    'numerics',
    'pjrt',
    'plugins/registry',
    'probes',
    'steps',
    'report/events',
    'suite/types',
    'wire',
  ],
  host: ['wire', 'report/events', 'suite/types'],
  cli: [
    'abi',
    'numerics',
    'programs',
    'frameworks',
    'plugins',
    'suite',
    'host',
    'verdict',
    'report',
    'wire',
    'paths',
    'probes/names',
  ],
};

const layerRules = Object.entries(LAYERS).map(([folder, allowed]) => ({
  name: `layer-${folder}`,
  comment: `harness/${folder} may import only ${[folder, ...allowed].join(', ')}`,
  severity: 'error',
  from: { path: `^harness/${folder}/`, pathNot: '\\.test(-helper)?\\.ts$' },
  to: { path: '^harness/', pathNot: [folder, ...allowed].map((a) => `^harness/${a}[/.]`) },
}));

module.exports = {
  forbidden: [
    ...layerRules,
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'koffi-only-in-ffi',
      comment: 'harness/ffi is the only importer of the FFI library',
      severity: 'error',
      from: { pathNot: '^harness/ffi/' },
      to: { path: 'node_modules/koffi' },
    },
    {
      name: 'parent-never-maps-a-plugin',
      comment: 'The command and the parent side must not reach the FFI, not even through others.',
      severity: 'error',
      from: { path: '^harness/(cli|host|report|verdict|suite|plugins)/', pathNot: '\\.test\\.ts$' },
      to: { path: '^harness/(ffi|pjrt|steps|worker)/', reachable: true },
    },
    {
      name: 'no-undeclared',
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
