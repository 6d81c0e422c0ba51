import type { Case, Step } from './types.ts';

/** Compilations of a case, derived from its steps: with a slow compiler they determine the cost of a case. */
export interface Compilations {
  /** Programs that are compiled once for all cases of a worker; cases with the same text share one. */
  shared: string[];
  /** Approximate number of other compilations for this case alone. */
  own: number;
}

/** Approximate number of compilations of probes that choose their programs themselves, or compile them several times. */
const BY_PROBE: Readonly<Record<string, number>> = {
  'destroy-busy-client': 2,
  'device-pointers': 1,
  'execute-device': 1,
  'ffi-handler-attributes': 1,
  'ffi-handler-error': 1,
  'ffi-handler-fails-later': 1,
  'ffi-handler-later': 1,
  'ffi-handler-run': 1,
  'ffi-handler-user-data': 1,
  'poison-pending-launch': 1,
  'hlo-program': 1,
  'impossible-output': 1,
  'option-memory': 1,
  'portable-artifact': 2,
  'state-after-work': 7,
  'unused-store-not-called': 1,
  'unused-store-stale': 1,
};

/** Functions whose default arguments include an executable. */
const OF_EXECUTABLES = /^PJRT_(Loaded)?Executable_/;
/** Functions that create or consume an executable: each call has its own. */
const COMPILING = /^PJRT_(Client_Compile|Compile|Client_Load|LoadedExecutable_(Destroy|Delete))$/;

const ADD_ONE = 'misc/add_one';

/** Programs that keep a plugin busy, by what is in progress (steps/in-flight.ts). */
const IN_FLIGHT: Readonly<Record<string, readonly string[]>> = {
  execution: ['asynchrony/slow'],
  transfer: ['asynchrony/ends'],
  copy: ['asynchrony/ends'],
  anything: ['asynchrony/slow', 'asynchrony/ends'],
};

/** Phases of a soak. */
const PHASES = 4;

const timesOf = (step: Step): number => {
  if (step.verb === 'repeat') return step.times;
  if (step.verb === 'soak') return PHASES * step.rounds;
  if (step.verb !== 'on-threads' || step.lanes === 'each') return 1;
  return Math.max(1, ...Object.values(step.lanes).filter((count) => typeof count === 'number'));
};

/** All steps with how often they run; how long the list of a loop is, is not known before. */
const withTimes = (steps: readonly Step[], times = 1): { step: Step; times: number }[] =>
  steps.flatMap((step) => [
    { step, times },
    ...('steps' in step ? withTimes(step.steps ?? [], times * timesOf(step)) : []),
  ]);

/** The compilations of several cases that run in one worker. */
export function compilationsOfAll(cases: readonly Case[]): number {
  const each = cases.map(compilationsOf);
  return new Set(each.flatMap(({ shared }) => shared)).size + each.reduce((sum, { own }) => sum + own, 0);
}

/** The compilations of a case. */
export function compilationsOf(testCase: Case): Compilations {
  const shared = new Set<string>();
  let own = 0;
  // Cases in quarantine share another worker.
  const inWorker = testCase.isolation !== 'process';
  const worker = testCase.isolation === 'quarantine' ? 'quarantine ' : '';
  const addTo = (shares: boolean) => (what: string) => {
    if (shares) shared.add(`${worker}${what}`);
    else own++;
  };
  const add = addTo(inWorker && testCase.programs === 'shared');
  // What keeps a plugin busy is compiled once for a client, whatever the case says of its own programs.
  const addTool = addTo(inWorker);
  for (const { step, times } of withTimes(testCase.steps)) {
    const before = own;
    if (step.verb === 'compile') {
      // An invalid program, or invalid options, are rejected early.
      if (step.error !== undefined) continue;
      const { program, format = '', version = '', options = {}, topology } = step;
      if (program === undefined || topology !== undefined) own++;
      else add(keyOf([program, format, version], options));
    } else if (step.verb === 'recorded') own++;
    else if (step.verb === 'valid-call') {
      if (OF_EXECUTABLES.test(step.function)) add(ADD_ONE);
      if (COMPILING.test(step.function)) own++;
    } else if (step.verb === 'rounds') addTool('asynchrony/slow');
    else if (step.verb === 'pending') {
      for (const program of IN_FLIGHT[step.via] ?? []) addTool(program);
    } else if (step.verb === 'probe') {
      // Not `own += …`, which would lose what `add` counts meanwhile.
      const more = ofProbe(step, add, addTool);
      own += more;
    }
    own += (own - before) * (times - 1);
  }
  return { shared: [...shared], own };
}

/** What is compiled, and the options that are not what they are anyway: what a worker has once for cases that share programs. */
const keyOf = (what: readonly string[], options: object): string =>
  [
    ...what,
    ...Object.entries(options)
      .filter(([name, value]) => value !== undefined && !(name.startsWith('num_') && value === 1))
      .flat(),
  ]
    .filter((part) => part !== '')
    .join(' ');

function ofProbe(
  { name, with: options = {} }: Extract<Step, { verb: 'probe' }>,
  add: (program: string) => void,
  addTool: (program: string) => void,
): number {
  if (name === 'device-assignment') {
    const { program, replicas, partitions, order } = options;
    const usual = order === 'unsaid' || (order === 'first' && replicas === 1 && partitions === 1);
    const device_assignment = usual ? undefined : order;
    add(keyOf([String(program)], { num_replicas: replicas, num_partitions: partitions, device_assignment }));
    return 0;
  }
  if (name === 'completion-event') {
    add('misc/long_running');
    addTool('asynchrony/slow');
  }
  if (name === 'extension-profiler-session') addTool(ADD_ONE);
  if (name === 'extension-shardings' || name === 'extension-executable-metadata') add(ADD_ONE);
  if (name.startsWith('contents-when-')) for (const program of IN_FLIGHT[String(options.via)] ?? []) addTool(program);
  if (BY_PROBE[name] !== undefined) return BY_PROBE[name];
  if (typeof options.program === 'string') add(options.program);
  return 0;
}
