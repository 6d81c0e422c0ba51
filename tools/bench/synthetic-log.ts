import type { CaseResult, TracedCall } from '../../harness/model/case-result.ts';
import { EVENTS_VERSION, type Event } from '../../harness/model/events.ts';
import type { Finding } from '../../harness/model/finding.ts';
import { zeroCounts } from '../../harness/model/run.ts';
import type { Status } from '../../harness/model/status.ts';
import { EventLog } from '../../harness/report/index.ts';

const CASES_PER_SUITE = 400;
const DTYPES = ['f32', 'f64', 'bf16', 's32', 'u8', 'pred'];
const OPERATIONS = ['add', 'sine', 'dot_general', 'reduce_window', 'convolution', 'exponential_minus_one'];

/** Share of each status in thousandths; the rest passes. As in a real run on a plugin with some defects. */
const MIXTURE: [status: Status, perMille: number][] = [
  ['fail', 8],
  ['crash', 1],
  ['timeout', 1],
  ['warn', 5],
  ['unsupported', 40],
  ['skip', 10],
];

/**
 * Writes a synthetic log: suites of cases with parameters, titles, numeric records, and failures with tables and captured
 * stderr. Equal numbers of cases give equal logs.
 */
export function writeSyntheticLog(path: string, cases: number): void {
  const log = new EventLog(path);
  for (const event of syntheticEvents(cases)) log.write(event);
  log.close();
}

/** The events of {@link writeSyntheticLog}. */
export function* syntheticEvents(cases: number): Generator<Event> {
  const counts = zeroCounts();
  yield header;
  const suites = Array.from({ length: Math.ceil(cases / CASES_PER_SUITE) }, (_, at) => suiteEvent(at, cases));
  yield* suites;
  yield plugin;
  let number = 0;
  for (const { cases: planned } of suites) {
    for (const { id } of planned) {
      const result = resultOf(number++);
      counts[result.status]++;
      yield { type: 'start', id, worker: number % 4, atMs: number };
      yield { type: 'case', id, worker: number % 4, atMs: number + result.durationMs, result };
    }
  }
  const violated = counts.fail + counts.crash + counts.timeout;
  yield {
    type: 'footer',
    finishedAt: '2026-02-03T05:05:06.000Z',
    durationMs: cases,
    counts,
    exitCode: violated > 0 ? 1 : 0,
    verdict: violated > 0 ? `fails: ${violated} of ${cases} cases violate a MUST` : 'passes',
    interrupted: false,
  };
}

const header: Event = {
  type: 'header',
  version: EVENTS_VERSION,
  tool: { name: 'pjrt-conformance', version: '0.1.0' },
  startedAt: '2026-02-03T04:05:06.000Z',
  argv: ['run', '--plugin', './pjrt-plugin-example.so'],
  host: { name: 'bench', os: 'linux', arch: 'x64', node: 'v20.19.0', cpus: 4, memoryBytes: 16e9 },
  profile: 'full',
  plugins: [{ name: 'example', path: '/opt/example/pjrt-plugin-example.so' }],
  reproduce: 'npx pjrt-conformance run --plugin ./pjrt-plugin-example.so --tests',
};

const plugin: Event = {
  type: 'plugin',
  plugin: {
    name: 'example',
    path: '/opt/example/pjrt-plugin-example.so',
    sha256: 'ab'.repeat(32),
    sizeBytes: 300_000_000,
    apiVersion: { major: 0, minor: 90 },
    versionStanding: 'known',
    tableBytes: 1000,
    functions: { inTable: 120, known: 120, nullSlots: [] },
    extensions: [],
    platformName: 'example',
    platformVersion: 'example 1',
    devices: [{ id: 0, kind: 'Example', debug: 'ExampleDevice(id=0)' }],
    answers: { PJRT_Client_Create: ['OK'], PJRT_Client_Compile: ['INVALID_ARGUMENT', 'OK'] },
  },
};

function suiteEvent(at: number, cases: number): Extract<Event, { type: 'suite' }> {
  const operation = OPERATIONS[at % OPERATIONS.length]!;
  const suite = `numerics/${operation}-${at}`;
  const size = Math.min(CASES_PER_SUITE, cases - at * CASES_PER_SUITE);
  return {
    type: 'suite',
    suite,
    file: `suites/${suite}.yaml`,
    title: `What ${operation} must compute.`,
    sha256: at.toString(16).padStart(64, '0'),
    cases: Array.from({ length: size }, (_, index) => {
      const name = `values[dtype=${DTYPES[index % DTYPES.length]},shape=${(index % 20) + 1}x${(index % 7) + 1},seed=${index}]`;
      return {
        id: `${suite}:${name}`,
        name,
        index,
        line: 10 + (index % 90),
        title: `${operation} of many values, among them those where approximations are worst; seed ${index}`,
        level: index % 10 === 0 ? 'should' : 'must',
        covers: ['EXE-NUM-004', `EXE-NUM-${String(index % 50).padStart(3, '0')}`],
        tags: index % 3 === 0 ? ['smoke', 'numerics'] : ['numerics'],
      };
    }),
  };
}

function resultOf(number: number): CaseResult {
  const status = statusOf(number);
  const base: CaseResult = {
    status,
    findings: [],
    durationMs: 1 + (number % 37) / 4,
    nativeMs: 0.5 + (number % 31) / 4,
    calls: 10 + (number % 20),
  };
  if (status === 'unsupported' || status === 'skip') {
    return { ...base, reason: 'PJRT_Buffer_Bitcast returns UNIMPLEMENTED: the plugin says that it is not there' };
  }
  if (status === 'pass') return number % 3 === 0 ? { ...base, numerics: [numeric(number % 5)] } : base;
  const dead = status === 'crash' || status === 'timeout';
  const end = { crash: 'DEATH', timeout: 'HANG' }[status as string];
  return {
    ...base,
    findings: [finding(status, number)],
    ...(dead ? { inFlight: 'PJRT_LoadedExecutable_Execute', signal: 'SIGSEGV' } : { numerics: [numeric(17)] }),
    trace: { before: number % 7, calls: calls(end) },
    stderr: { head: stderr(number, 60), tail: dead ? stderr(number, 20) : '', omittedBytes: dead ? 123_456 : 0 },
  };
}

/** Spread evenly by a multiplication that visits every residue, so that each suite has some of each. */
function statusOf(number: number): Status {
  let place = (number * 617) % 1000;
  for (const [status, perMille] of MIXTURE) {
    if (place < perMille) return status;
    place -= perMille;
  }
  return 'pass';
}

const finding = (status: Status, number: number): Finding => ({
  type: status === 'crash' ? 'pjrt.Crash' : status === 'timeout' ? 'pjrt.Timeout' : 'pjrt.NumericMismatch',
  level: status === 'warn' ? 'should' : 'must',
  message: `y: ${(number % 90) + 3} of 400 elements differ; max 17 ULP at [3,7]; allowed 4`,
  detail: Array.from(
    { length: 12 },
    (_, row) => `[${row},${number % 20}]  1.${row}  0x3f80${row.toString(16).padStart(4, '0')}  1.${row}1  17  1.1e-6`,
  ).join('\n'),
  call: 'PJRT_LoadedExecutable_Execute',
  line: 12,
  requirements: ['EXE-NUM-004'],
});

/** The maximum number of native calls that are kept. */
const calls = (end: string | undefined): TracedCall[] =>
  Array.from({ length: 64 }, (_, at) =>
    end !== undefined && at === 63
      ? { call: 'PJRT_LoadedExecutable_Execute', answer: end }
      : {
          call: ['PJRT_Client_BufferFromHostBuffer', 'PJRT_Event_Await'][at % 2]!,
          answer: 'OK',
          durationMs: at / 1000,
        },
  );

const numeric = (maxUlp: number) => ({
  what: 'y',
  maxUlp,
  allowedUlp: 4,
  index: 67,
  expectedBits: '0x3f800000',
  actualBits: '0x3f800011',
});

const stderr = (number: number, lines: number): string =>
  Array.from(
    { length: lines },
    (_, line) => `W0203 04:05:06.${line} ${number} \x1b[33mpass pipeline\x1b[0m step ${line}\n`,
  ).join('');
