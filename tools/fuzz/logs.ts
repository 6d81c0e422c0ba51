import { createHash } from 'node:crypto';
import type { CaseResult } from '../../harness/model/case-result.ts';
import type { Event } from '../../harness/model/events.ts';
import { foldRun, zeroCounts } from '../../harness/model/run.ts';
import { everyStatus, result } from '../../harness/model/sample-log.test-helper.ts';
import { LogHash } from '../../harness/report/seal.ts';
import { syntheticEvents } from '../bench/synthetic-log.ts';

/** Valid logs, as seeds. */

type Of<T extends Event['type']> = Extract<Event, { type: T }>;

/** A log as the command writes it, with its seals. */
export function logBytes(events: Iterable<Event>): Buffer {
  const hash = new LogHash();
  const lines = [...events].map((event) => {
    const line = 'seal' in event ? hash.sealedLine({ ...event, seal: undefined }) : Buffer.from(JSON.stringify(event));
    hash.add(line);
    return `${line}\n`;
  });
  return Buffer.from(lines.join(''));
}

const NO_SEAL = { lines: 0, sha256: '' };

/** The log with correct seals, so that they do not reveal the change. */
export function resealed(log: Buffer): Buffer {
  const hash = new LogHash();
  const lines = splitLines(log).map((bytes) => {
    const line = withSeal(bytes, hash);
    hash.add(line);
    return line;
  });
  return Buffer.concat(lines.flatMap((line, at) => (at === 0 ? [line] : [NEWLINE, line])));
}

const NEWLINE = Buffer.from('\n');

function withSeal(line: Buffer, hash: LogHash): Buffer {
  if (!line.includes('"seal"')) return line;
  try {
    const { seal: _, ...value } = JSON.parse(line.toString('utf8'));
    return hash.sealedLine(value);
  } catch {
    return line;
  }
}

/** The lines of a file without their ends; the last one is empty if the file ends in a line end. */
export function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let from = 0;
  for (let end = bytes.indexOf('\n'); end !== -1; end = bytes.indexOf('\n', from)) {
    lines.push(bytes.subarray(from, end));
    from = end + 1;
  }
  return [...lines, bytes.subarray(from)];
}

/** Many cases of one kind. */
export const plainEvents = (): Event[] => [...syntheticEvents(14)].map(sealed);

/** Every type of event, and every status with all parts of a result. */
export function richEvents(): Event[] {
  const events = everyStatus().map((sample): Event => {
    const event = withKnownRequirements(sample);
    if (event.type === 'header') return { ...event, ...HEADER };
    return event.type === 'case' && event.id.endsWith('round-trip[dtype=f32,shape=2x3]')
      ? { ...event, result: FLAKY }
      : event;
  });
  const at = events.findIndex(({ type }) => type === 'case');
  events.splice(at, 0, ATTEMPT, { type: 'checkpoint', seal: NO_SEAL });
  events.splice(-1, 0, FRAMEWORK, EXPECTATIONS, RESUME, {
    type: 'note',
    level: 'error',
    message: 'a worker died',
    breach: true,
  });
  return withCounts(events);
}

/** Files derived from a run name its requirements. */
const withKnownRequirements = (event: Event): Event =>
  JSON.parse(JSON.stringify(event).replace(/(?<=")(?:EXE-NUM-004|BUF-H2D-001|BUF-DEL-002)(?=")/g, 'EXE-NUM-001'));

/** A part of a run that was split into two. */
export function shardEvents(index: 1 | 2): Event[] {
  let number = 0;
  const mine = new Set<string>();
  const events = richEvents().flatMap((event): Event[] => {
    if (event.type === 'header') return [{ ...event, shard: { index, count: 2 } }];
    if (event.type === 'suite') {
      const cases = event.cases.filter(() => number++ % 2 === index - 1);
      for (const { id } of cases) mine.add(id);
      return [{ ...event, cases }];
    }
    return 'id' in event && !mine.has(event.id) ? [] : [event];
  });
  return withCounts(events);
}

/** A run whose suites are in a directory, by name. */
export function packable(directory: string): { events: Event[]; suites: Record<string, Buffer> } {
  const suites: Record<string, Buffer> = {};
  const events = richEvents().map((event): Event => {
    if (event.type === 'header') return { ...event, expectations: undefined, invocation: undefined };
    if (event.type !== 'suite') return event;
    const name = event.suite.replace('/', '-');
    suites[name] = Buffer.from(`suite: ${event.suite}\n`);
    return { ...event, file: `${directory}/${name}`, sha256: createHash('sha256').update(suites[name]).digest('hex') };
  });
  return { events, suites };
}

function withCounts(events: readonly Event[]): Event[] {
  const run = foldRun(events.filter(({ type }) => type !== 'footer'));
  const counts = { ...zeroCounts(), ...run.counts };
  return events.map((event) => sealed(event.type === 'footer' ? { ...event, counts } : event));
}

const sealed = (event: Event): Event => (event.type === 'footer' ? { ...event, seal: NO_SEAL } : event);

const ID = 'buffers/host-transfer:round-trip[dtype=f32,shape=2x3]';

const HEADER: Partial<Of<'header'>> = {
  environment: { TF_CPP_MIN_LOG_LEVEL: '0', API_TOKEN: '[redacted]' },
  config: { file: 'pjrt-conformance.yaml', keys: ['plugin', 'timeouts.call'], leftOut: ['options'] },
  options: { strict: true, strictExpectations: false },
  expectations: { files: [{ file: 'expected.yaml', sha256: 'ef'.repeat(32) }], date: '2026-02-03' },
  invocation: { cwd: '/build', options: { plugin: ['./example.so'], binding: 'now', fetch: true }, settings: {} },
};

const FAILED = {
  status: 'fail',
  worker: 1,
  atMs: 90,
  durationMs: 3,
  finding: { type: 'pjrt.WrongValue', level: 'must', message: 'one byte differs', line: 8 },
} as const;

const ATTEMPT: Event = { type: 'attempt', id: ID, worker: 1, atMs: 90, attempt: FAILED };

const FLAKY: CaseResult = result('flaky', {
  findings: [FAILED.finding],
  attempts: [FAILED, { status: 'pass', why: 'rerun', worker: 2, atMs: 99, durationMs: 2 }],
  callMs: { PJRT_Client_Compile: 1.5 },
  scheduling: { runningMs: 3, waitingMs: 1 },
  expectation: {
    file: 'expected.yaml',
    line: 3,
    expect: ['fail', 'flaky'],
    reason: 'a known race',
    requirements: ['EXE-NUM-001'],
    issue: 'https://example.com/1',
    owner: 'runtime',
    expires: '2026-12-31',
    outcome: 'met',
  },
});

const EXPECTATIONS: Event = {
  type: 'expectations',
  entries: [
    { file: 'expected.yaml', line: 3, cases: ['buffers/*'], expect: ['flaky'], reason: 'a race', standing: 'active' },
    { file: 'expected.yaml', line: 9, cases: ['none'], expect: ['crash'], reason: 'gone', standing: 'unmatched' },
  ],
};

const FRAMEWORK: Event = {
  type: 'framework',
  verdict: {
    framework: 'jax',
    version: '0.10.2',
    title: 'JAX 0.10.2',
    date: '2026-01-01',
    apiMinor: 90,
    outcome: 'limits',
    moment: 'import',
    reason: 'a function is not there',
    message: 'NotImplementedError',
    limits: ['no donation'],
    facts: ['the API version is inside the window'],
    untried: [],
    window: { standing: 'inside', text: '12 weeks', since: '2025-10-01', oldestMinor: 70 },
  },
};

const RESUME: Event = {
  type: 'resume',
  startedAt: '2026-02-03T04:05:07.000Z',
  argv: ['run', '--resume', 'reports/example'],
  atMs: 500,
  after: 'cut-off',
  tornBytes: 12,
};
