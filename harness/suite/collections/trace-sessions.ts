import { rmSync } from 'node:fs';
import { scratchDirectory } from '../../base/scratch.ts';
import { UsageError } from '../../base/usage-error.ts';
import { demandAllCalls } from '../../knowledge/trace/demand-all-calls.ts';
import { digestOf } from '../../knowledge/trace/digest.ts';
import { openTrace, type Trace } from '../../knowledge/trace/open-trace.ts';
import { callsOf, closed } from '../../knowledge/trace/session-graph.ts';
import { type RecordedSession, sessionsOf } from '../../knowledge/trace/sessions.ts';
import { traceDirectory } from '../../knowledge/trace/trace-directory.ts';
import { TraceError } from '../../knowledge/trace/trace-error.ts';
import { writeSession } from '../../knowledge/trace/write-session.ts';
import type { LoadedSuite } from '../load.ts';
import type { Case } from '../types.ts';
import { type PlacedTrace, placedTraces } from './known-sessions.ts';

/** The suite of what sessions come under. */
const SUITE = 'replay';
const COVERS = ['RPL-CALL-001', 'RPL-DATA-001', 'RPL-EVT-001', 'RPL-FACT-001'] as const;

/** Milliseconds for a session besides those that it took when it was recorded, and how much slower a plugin may be. */
const [LEAST_MS, SLOWER] = [120_000, 20];
/** Some compilers take a minute for a small program (plugins/designs/slow-compiler.yaml). */
const COMPILATION_MS = 60_000;

/** A part of each session: its calls from one order to another, with those that they need. */
export interface Window {
  /** Order of the first one, as the recording has it; default: that of its first call. */
  from?: number;
  /** Order of the last one; default: that of its last call. */
  to?: number;
}

/**
 * The sessions of a trace as cases: what each process did with a plugin.
 * @param place directory of a trace, its packed file, or a release of which the package has recordings
 * @throws UsageError if it is no trace, or has none
 */
export async function traceSessions(place: string, cwd: string, window: Window = {}): Promise<LoadedSuite[]> {
  const found = await placedSessions(place, cwd, window);
  return [
    {
      id: SUITE,
      file: place,
      description: `What was recorded in ${place}`,
      sha256: digestOf(Buffer.from(JSON.stringify(found.map(({ name, session: { calls, ns } }) => [name, calls, ns])))),
      cases: found.map(({ testCase }) => testCase),
    },
  ];
}

/** A session, and the trace that it is in. */
export interface PlacedSession {
  session: RecordedSession;
  name: string;
  trace: Trace;
  /** Directory of the trace: where it was unpacked, if it was packed. */
  path: string;
  testCase: Case;
}

/** The sessions of a trace, each with its case. @param place as for `traceSessions` @throws UsageError */
export async function placedSessions(place: string, cwd: string, { from, to }: Window = {}): Promise<PlacedSession[]> {
  const found: PlacedSession[] = [];
  for (const trace of placedTraces(place, cwd)) found.push(...(await sessionsIn(trace)));
  if (from === undefined && to === undefined) return found;
  const parts = await readable(async () =>
    found.flatMap((session) => partOf(session, from ?? 0, to ?? Number.POSITIVE_INFINITY) ?? []),
  );
  if (parts.length > 0) return parts;
  const orders = found.flatMap(({ session }) => callsOf(session).map(({ order }) => order)).sort((a, b) => a - b);
  throw new UsageError(
    `${place}: no call has an order from ${from ?? 'the first'} to ${to ?? 'the last'}: they are from ${orders[0]} to ${orders.at(-1)}, as \`trace calls ${place}\` has them`,
    { options: [from === undefined ? 'to' : 'from'] },
  );
}

/** Directories of parts, which are removed when this process ends. */
const written: string[] = [];

/** The calls of a session in a window, with those that they need, as a trace of their own; undefined if there are none. */
function partOf(placed: PlacedSession, from: number, to: number): PlacedSession | undefined {
  const calls = callsOf(placed.session);
  const wanted = calls.flatMap(({ order }) => (order >= from && order <= to ? [order] : []));
  if (wanted.length === 0) return undefined;
  const path = scratchDirectory('trace');
  if (written.length === 0)
    process.once('exit', () => {
      for (const directory of written) rmSync(directory, { recursive: true, force: true });
    });
  written.push(path);
  writeSession(placed, closed(calls, wanted, to + 1), path);
  const trace = openTrace(path, placed.testCase.file);
  const [session] = trace.processes.flatMap(sessionsOf);
  const part = { session: session!, name: placed.name, trace, path };
  return { ...part, testCase: caseOf(part, placed.testCase.file) };
}

/** @throws UsageError */
async function sessionsIn({ file, shown, name }: PlacedTrace): Promise<PlacedSession[]> {
  return readable(async () => {
    const path = await traceDirectory(file, shown);
    const trace = openTrace(path, shown);
    demandAllCalls(trace.manifest, shown, 'to replay it');
    const sessions = trace.processes.flatMap(sessionsOf);
    if (sessions.length === 0)
      throw new TraceError(
        `${shown}: no process in this trace has called a plugin; \`trace show ${shown}\` says what it has`,
      );
    return sessions.map((session) => {
      const placed = { session, name: name ?? session.name, trace, path };
      return { ...placed, testCase: caseOf(placed, shown) };
    });
  });
}

/** What is done with a trace, whose user gave another one if it cannot be read. @throws UsageError */
export async function readable<T>(use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    if (error instanceof TraceError) throw new UsageError(error.message, { options: ['trace'] });
    throw error;
  }
}

function caseOf({ session, name, path }: Omit<PlacedSession, 'testCase'>, file: string): Case {
  const { calls, executions, compilations, devices, ns, plugin, process } = session;
  return {
    id: `${SUITE}:${name}`,
    suite: SUITE,
    name,
    params: {},
    file,
    line: 1,
    title: `${name}: ${calls} calls and ${executions} executions give what they gave when they were recorded`,
    covers: [...COVERS],
    level: 'must',
    levels: Object.fromEntries(COVERS.map((id) => [id, 'must'])),
    tags: [],
    requires: devices > 1 ? { devices } : {},
    isolation: 'process',
    client: 'own',
    mayExhaust: true,
    deadline: { case: LEAST_MS + COMPILATION_MS * compilations + Math.ceil((SLOWER * ns) / 1e6) },
    steps: [{ verb: 'probe', name: 'replay', with: { trace: path, process: process.name, plugin }, line: 1 }],
  };
}
