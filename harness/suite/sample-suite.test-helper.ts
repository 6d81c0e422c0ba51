import { Abi, NEWEST_MINOR } from '../knowledge/abi/index.ts';
import { valueTypesOf } from '../knowledge/abi/value-type.ts';
import { loadSets, readSuite } from './load.ts';
import type { Sets } from './matrix.ts';
import type { ProbeDescription } from './probe-description.ts';
import { formatProblem } from './problem.ts';
import { parseRequirements } from './requirements.ts';
import type { Case } from './types.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A small catalogue for tests. */
export const SAMPLE_REQUIREMENTS = parseRequirements(
  `areas:
  host-buffers:
    - {id: BUF-HOST-002, api: BufferFromHostBuffer, level: must, cpu: "y", text: Data comes back bit by bit.}
    - {id: BUF-HOST-005, api: dims, level: should, cpu: "y", text: A dimension of zero is accepted.}
    - {id: BUF-UNI-001, api: CreateUninitializedBuffer, level: opt, cpu: "y", since: 69, text: It becomes ready.}
  client:
    - {id: CLI-LKP-002, api: LookupDevice, level: must, cpu: "y", text: An unknown id is an error.}
    - {id: RES-002, api: teardown order, level: caller, cpu: "y", text: Objects go before their client.}
`,
  'requirements.yaml',
);

const SETS = loadSets();

const ABI = Abi.at(NEWEST_MINOR);

const NAMES: Vocabulary = {
  functions: new Map(
    [
      'PJRT_Client_LookupDevice',
      'PJRT_Client_BufferFromHostBuffer',
      'PJRT_Buffer_IsDeleted',
      'PJRT_Client_Devices',
    ].map((name) => [name, valueTypesOf(ABI, ABI.argsOf(name))]),
  ),
  structs: new Map(ABI.structNames.map((name) => [name, valueTypesOf(ABI, ABI.struct(name))])),
  extensions: new Set(['Layouts', 'Stream']),
  probes: new Map<string, ProbeDescription>([
    [
      'event-on-ready',
      {
        checks: 'Callbacks fire.',
        with: {
          count: { is: 'number', optional: true, default: 3 },
          x: { is: 'number', optional: true },
          y: { is: 'number', optional: true },
          via: { is: { oneOf: ['copy', 'manager'] }, optional: true },
          rows: { is: { listOf: { listOf: 'number' } }, optional: true },
        },
      },
    ],
    ['offered', { checks: 'It is offered.', with: { function: { is: 'function' } } }],
  ]),
  programs: new Set(['elementwise/add_f32_4', 'elementwise/add_f64_4']),
  oracles: new Set(['add', 'transpose']),
};

/** Reads the text of a suite as if it were suites/sample.yaml. For tests. */
export function readSample(
  text: string,
  vocabulary: Vocabulary = NAMES,
  sets: Sets = SETS,
): { cases: Case[]; errors: string } {
  const source = { file: 'suites/sample.yaml', id: 'sample', requirements: SAMPLE_REQUIREMENTS, sets, vocabulary };
  const { suite, problems } = readSuite(text, source);
  return { cases: suite?.cases ?? [], errors: problems.map(formatProblem).join('\n') };
}

/** A suite with one case around steps (and other keys of the case). For tests. */
export function sampleCase(body: string): string {
  const indented = body.trim().replace(/^/gm, '    ');
  return `suite: sample\ndescription: A sample.\ncases:\n  - id: one\n    description: It works.\n    covers: [BUF-HOST-002]\n${indented}\n`;
}
