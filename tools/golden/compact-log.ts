import { cleanText } from '../../harness/base/sanitize.ts';
import type { CaseResult } from '../../harness/model/case-result.ts';
import type { Event, PlannedCase } from '../../harness/model/events.ts';

/** What is not of this run but of the machine, by what stands for it. */
export type Replacements = readonly (readonly [text: string, by: string])[];

/**
 * The events of a run without what the console does not show and what no two runs have in common: starts, workers, durations,
 * native calls, the machine. What remains gives the same text on the console.
 */
export function* compactLog(events: Iterable<Event>, replacements: Replacements): Generator<Event> {
  for (const event of events) {
    const small = compactEvent(event);
    if (small) yield replaced(small, replacements);
  }
}

const DURATION_MS = 120_000;

function compactEvent(event: Event): Event | undefined {
  switch (event.type) {
    case 'header': {
      const { environment: _, invocation: __, ...rest } = event;
      const host = { name: 'build-host', os: 'linux', arch: 'x64', node: 'v20', cpus: 1, memoryBytes: 1 };
      return { ...rest, startedAt: '2026-01-01T00:00:00.000Z', argv: [], host };
    }
    case 'suite':
      return { ...event, sha256: '', title: '', cases: event.cases.map(compactPlan) };
    case 'case':
      return { ...event, atMs: 0, result: compactResult(event.result) };
    case 'footer': {
      const { seal: _, ...rest } = event;
      return { ...rest, finishedAt: '2026-01-01T00:02:00.000Z', durationMs: DURATION_MS };
    }
    case 'start':
    case 'attempt':
    case 'worker':
    case 'checkpoint':
      return undefined;
    default:
      return event;
  }
}

const compactPlan = ({ index: _, ...plan }: PlannedCase): PlannedCase => ({ ...plan, title: '', tags: [] });

function compactResult(result: CaseResult): CaseResult {
  const { callMs: _, scheduling: __, trace: ___, stdout: ____, observed: _____, attempts: ______, ...rest } = result;
  const numerics = rest.numerics?.map(({ byOrder: _, bounds: __, operands: ___, at: ____, ...record }) => ({
    ...record,
    expectedBits: '',
    actualBits: '',
  }));
  const findings = rest.findings.map(({ where: _, ...finding }) => finding);
  return { ...rest, findings, ...(numerics ? { numerics } : {}), durationMs: 0, nativeMs: 0, calls: 0 };
}

/** Also cleans captured output of what depends on the moment: times, process ids and addresses. */
function replaced(event: Event, replacements: Replacements): Event {
  const text = replacements.reduce((json, [from, to]) => json.replaceAll(from, to), JSON.stringify(event));
  return JSON.parse(text, (key, value) => (key === 'head' || key === 'tail' ? still(value as string) : value)) as Event;
}

const still = (output: string): string =>
  cleanText(output)
    .replace(/0x[0-9a-f]{6,}/g, '0x…')
    .replace(/\b\d{2}:\d{2}:\d{2}\.\d+\s+\d+/g, '00:00:00.000000 1')
    .replace(/\b\d{9,}\b/g, '0');
