import type { CaseResult } from './case-result.ts';
import { EVENTS_VERSION, type Event, type PlannedCase } from './events.ts';
import type { PluginFacts } from './plugin-facts.ts';
import { zeroCounts } from './run.ts';
import type { Status } from './status.ts';

type Header = Extract<Event, { type: 'header' }>;

export const header = (more: Partial<Header> = {}): Header => ({
  type: 'header',
  version: EVENTS_VERSION,
  tool: { name: 'pjrt-conformance', version: '0.1.0' },
  startedAt: '2026-02-03T04:05:06.000Z',
  argv: ['run', '--plugin', './example.so'],
  host: { name: 'build-host', os: 'linux 6.1', arch: 'x64', node: 'v20.19.0', cpus: 2, memoryBytes: 8_000_000_000 },
  profile: 'standard',
  numerics: { profile: 'standard', from: 'default' },
  plugins: [{ name: 'example', path: './example.so' }],
  reproduce: 'npx pjrt-conformance --plugin ./example.so --test',
  ...more,
});

export const facts = (more: Partial<PluginFacts> = {}): PluginFacts => ({
  name: 'example',
  path: './example.so',
  sha256: 'ab'.repeat(32),
  sizeBytes: 1234,
  apiVersion: { major: 0, minor: 90 },
  versionStanding: 'known',
  tableBytes: 1000,
  functions: { inTable: 120, known: 120, nullSlots: ['PJRT_Buffer_Bitcast'] },
  extensions: [{ type: 5, name: 'Layouts', structSize: 96, knownSizes: [96], slots: 9, nullSlots: [] }],
  attributes: { xla_version: 2, stablehlo_current_version: [1, 9, 0], note: 'text', fast: true },
  platformName: 'example',
  platformVersion: 'example 1',
  devices: [
    { id: 0, kind: 'Example', debug: 'ExampleDevice(id=0)' },
    { id: 1, kind: 'Example', debug: 'ExampleDevice(id=1)' },
  ],
  memories: [{ id: 0, kind: 'device' }],
  ...more,
});

export const result = (status: Status, more: Partial<CaseResult> = {}): CaseResult => ({
  status,
  findings: [],
  durationMs: 4,
  nativeMs: 2.5,
  calls: 3,
  ...more,
});

const planned = (id: string, more: Partial<PlannedCase> = {}): PlannedCase => ({
  id,
  name: id.slice(id.indexOf(':') + 1),
  line: 7,
  title: `Title of ${id}`,
  level: 'must',
  covers: ['BUF-H2D-001'],
  tags: [],
  ...more,
});

/** A suite event and, with 10 ms per case, a start and a result for every case that has one. */
export function suiteEvents(
  suite: string,
  cases: { name: string; plan?: Partial<PlannedCase>; result?: CaseResult }[],
  fromMs = 100,
): Event[] {
  const plans = cases.map(({ name, plan }) => planned(`${suite}:${name}`, plan));
  const events: Event[] = [
    {
      type: 'suite',
      suite,
      file: `suites/${suite}.yaml`,
      title: `Title of ${suite}`,
      sha256: 'cd'.repeat(32),
      cases: plans,
    },
  ];
  cases.forEach((item, index) => {
    const id = plans[index]!.id;
    const atMs = fromMs + index * 10;
    if (!item.result) return;
    events.push({ type: 'start', id, worker: 1, atMs });
    events.push({ type: 'case', id, worker: 1, atMs: atMs + 9, result: item.result });
  });
  return events;
}

export const footer = (more: Partial<Extract<Event, { type: 'footer' }>> = {}): Event => ({
  type: 'footer',
  finishedAt: '2026-02-03T04:05:08.500Z',
  durationMs: 2500,
  counts: zeroCounts(),
  exitCode: 0,
  verdict: 'passes',
  interrupted: false,
  ...more,
});

/** One case of every status, with every optional part of a result. */
export function everyStatus(): Event[] {
  return [
    header(),
    { type: 'worker', worker: 1, what: 'start', pid: 4242, atMs: 50 },
    { type: 'plugin', plugin: facts() },
    ...suiteEvents('buffers/host-transfer', [
      { name: 'round-trip[dtype=f32,shape=2x3]', result: result('pass') },
      {
        name: 'lookup-negative-id',
        plan: { level: 'should', covers: ['CLI-LKP-002'], line: 21 },
        result: result('warn', {
          findings: [
            {
              type: 'pjrt.WrongError',
              level: 'should',
              message: 'PJRT_Client_LookupDevice returns INTERNAL, should be INVALID_ARGUMENT',
              call: 'PJRT_Client_LookupDevice',
              line: 23,
              requirements: ['CLI-LKP-002'],
            },
          ],
        }),
      },
      {
        name: 'sine[dtype=f32]',
        plan: { covers: ['EXE-NUM-004'], line: 30 },
        result: result('fail', {
          findings: [
            {
              type: 'pjrt.NumericMismatch',
              level: 'must',
              message: '3 of 400 elements differ; worst 17 ULP at index 67, allowed 4',
              detail: 'index  expected            actual\n67     0x3f800000 (1)      0x3f800011 (1.000002)',
              line: 34,
              requirements: ['EXE-NUM-004'],
            },
          ],
          trace: {
            before: 0,
            calls: [
              { call: 'PJRT_Client_Compile', answer: 'OK', durationMs: 12.5 },
              { call: 'PJRT_Buffer_Destroy', answer: 'void', durationMs: 0.002 },
            ],
          },
          numerics: [
            {
              what: 'y',
              maxUlp: 17,
              allowedUlp: 4,
              index: 67,
              expectedBits: '0x3f800000',
              actualBits: '0x3f800011',
              elements: 400,
              mismatches: 3,
              nanMismatches: 1,
              meets: 'none',
            },
          ],
          stderr: { head: 'compiling\nrunning\n', tail: '', omittedBytes: 0 },
        }),
      },
      {
        name: 'known-wrong',
        plan: { line: 40 },
        result: result('fail', {
          findings: [
            {
              type: 'pjrt.WrongValue',
              level: 'must',
              message: 'num_devices is 1, expected 2',
              line: 42,
              call: 'PJRT_Client_Devices',
            },
          ],
          knownDeviation: { reason: 'counts only one socket', evidence: 'plugins/known/example.yaml:12' },
        }),
      },
    ]),
    ...suiteEvents(
      'errors/handling',
      [
        {
          name: 'destroy-twice',
          result: result('crash', {
            findings: [
              {
                type: 'pjrt.Crash',
                level: 'must',
                message: 'plugin died with SIGSEGV in PJRT_Buffer_Destroy',
                call: 'PJRT_Buffer_Destroy',
                line: 9,
                requirements: ['BUF-DEL-002'],
              },
            ],
            inFlight: 'PJRT_Buffer_Destroy',
            signal: 'SIGSEGV',
            trace: {
              before: 30,
              calls: [
                { call: 'PJRT_Event_Await' },
                ...Array.from({ length: 3 }, () => ({ call: 'PJRT_Device_Id', answer: 'OK', durationMs: 0.001 })),
                { call: 'PJRT_Client_LookupDevice', answer: 'INVALID_ARGUMENT', durationMs: 0.25 },
                { call: 'PJRT_Buffer_Destroy', answer: 'DEATH' },
              ],
            },
            stderr: { head: 'first line\n', tail: 'last line before the end\n', omittedBytes: 1000 },
          }),
        },
        {
          name: 'await-never',
          result: result('timeout', {
            findings: [
              {
                type: 'pjrt.Timeout',
                level: 'must',
                message: 'PJRT_Event_Await did not return within 30 s',
                call: 'PJRT_Event_Await',
              },
            ],
            inFlight: 'PJRT_Event_Await',
            signal: 'SIGKILL',
            durationMs: 30_000,
          }),
        },
        {
          name: 'bitcast',
          result: result('unsupported', {
            reason: 'PJRT_Buffer_Bitcast is NULL',
            cause: { kind: 'null', call: 'PJRT_Buffer_Bitcast' },
          }),
        },
        { name: 'two-plugins', result: result('skip', { reason: 'needs 2 plugins, the run has 1' }) },
        {
          name: 'invalid-suite',
          result: result('error', {
            findings: [
              { type: 'pjrt.HarnessError', level: 'must', message: 'probe "missing" does not exist', line: 60 },
            ],
            exitCode: 1,
          }),
        },
        { name: 'never-reached' },
      ],
      300,
    ),
    { type: 'worker', worker: 1, what: 'exit', pid: 4242, atMs: 500, signal: 'SIGSEGV', note: 'replaced' },
    { type: 'note', level: 'warning', message: 'the plugin wrote to stdout outside any case', detail: 'hello\n' },
    footer({
      counts: {
        pass: 1,
        warn: 1,
        fail: 2,
        crash: 1,
        timeout: 1,
        flaky: 0,
        unsupported: 1,
        skip: 1,
        error: 1,
        notrun: 1,
      },
      exitCode: 1,
      verdict: 'fails: 4 of 10 cases violate a MUST (2 fail, 1 crash, 1 timeout)',
    }),
  ];
}
