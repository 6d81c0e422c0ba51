import { stepsOf } from './steps-of.ts';
import type { Case, Step } from './types.ts';

/** What a case makes a plugin compile, read off its steps: where compiling takes long, it decides what a case costs. */
export interface Compilations {
  /** Programs that are compiled once for all cases of a worker that share them; cases with the same text share one. */
  shared: string[];
  /** How many more are compiled for this case alone, about. */
  own: number;
}

/** How often probes compile that choose their programs themselves, or compile theirs more than once; about. */
const BY_PROBE: Readonly<Record<string, number>> = {
  'concurrent-clients': 18,
  'concurrent-compilation': 8,
  'concurrent-work': 6,
  'destroy-busy-client': 2,
  'device-pointers': 1,
  'execute-device': 1,
  'extension-abi-version': 1,
  'extension-executable-metadata': 1,
  'extension-shardings': 1,
  'poison-pending-launch': 1,
  'handles-of-clients': 24,
  'hlo-program': 1,
  'impossible-allocation': 1,
  'option-memory': 1,
  'overridden-compile-options': 1,
  'portable-artifact': 2,
  'surviving-client': 4,
  'unused-key-value-store': 1,
};

/** Loops that compile, in each round or once before. */
const LOOPS: Readonly<Record<string, number>> = { compile: 200, execute: 1, 'execute-without-events': 1 };

/** Functions whose sound arguments include an executable. */
const OF_EXECUTABLES = /^PJRT_(Loaded)?Executable_/;
/** Functions that make an executable, or take one away: each call of one has its own. */
const COMPILING = /^PJRT_(Client_Compile|Compile|Client_Load|LoadedExecutable_(Destroy|Delete))$/;

const ADD_ONE = 'misc/add_one';

/** What a case compiles. */
export function compilationsOf(testCase: Case): Compilations {
  const shared = new Set<string>();
  let own = 0;
  const shares = testCase.programs === 'shared' && testCase.isolation === 'worker';
  const add = (what: string): void => {
    if (shares) shared.add(what);
    else own++;
  };
  for (const step of stepsOf(testCase)) {
    if (step.verb === 'compile') {
      // A program or options that are refused are refused early.
      if (step.error !== undefined) continue;
      const { program, format = '', version = '', options = {}, topology } = step;
      if (program === undefined || topology !== undefined) own++;
      else add([program, format, version, ...Object.entries(options).flat()].filter((part) => part !== '').join(' '));
    } else if (step.verb === 'probe') {
      // Not `own += …`, which would lose what `add` counts meanwhile.
      const more = ofProbe(step, add);
      own += more;
    }
  }
  return { shared: [...shared], own };
}

function ofProbe(
  { name, with: options = {} }: Extract<Step, { verb: 'probe' }>,
  add: (program: string) => void,
): number {
  if (typeof options.function === 'string' && name.startsWith('call-')) {
    if (OF_EXECUTABLES.test(options.function)) add(ADD_ONE);
    return COMPILING.test(options.function) ? 1 : 0;
  }
  if (name === 'execute-before-data') add(ADD_ONE);
  if (name === 'completion-event') add('misc/long_running');
  if (name === 'client-cycles') return options.use === false ? 0 : 5 * Number(options.rounds ?? 5);
  if (name === 'named-values') return OF_EXECUTABLES.test(String(options.function)) ? 1 : 0;
  if (name === 'extension-layouts') return ['parameters', 'outputs'].includes(String(options.aspect)) ? 1 : 0;
  if (options.meanwhile === 'work' || options.after === 'work') return 8;
  if (name === 'leak-loop') return LOOPS[String(options.what)] ?? 0;
  if (name === 'concurrent-work' && options.what === 'compile') return 60;
  if (BY_PROBE[name] !== undefined) return BY_PROBE[name];
  if (typeof options.program === 'string') add(options.program);
  return 0;
}
