import { resolve } from 'node:path';
import { UsageError } from '../../base/usage-error.ts';
import { digestOf, openTrace } from '../../knowledge/trace/open-trace.ts';
import { type RecordedSession, sessionsOf } from '../../knowledge/trace/sessions.ts';
import { traceDirectory } from '../../knowledge/trace/trace-directory.ts';
import { TraceError } from '../../knowledge/trace/trace-error.ts';
import type { LoadedSuite } from '../load.ts';
import type { Case } from '../types.ts';

/** The suite of what sessions come under. */
const SUITE = 'replay';
const COVERS = ['RPL-CALL-001', 'RPL-DATA-001', 'RPL-EVT-001', 'RPL-FACT-001'] as const;

/** Milliseconds for a session besides those that it took when it was recorded, and how much slower a plugin may be. */
const [LEAST_MS, SLOWER] = [120_000, 20];

/**
 * The sessions of a trace as cases: what each process did with a plugin.
 * @throws UsageError if it is no trace, or has none
 */
export async function traceSessions(directory: string, cwd: string): Promise<LoadedSuite[]> {
  const { sessions, place } = await readSessions(directory, cwd);
  if (sessions.length === 0)
    throw new UsageError(
      `${directory}: no process in this trace has called a plugin; \`trace show ${directory}\` says what it has`,
      {
        options: ['trace'],
      },
    );
  return [
    {
      id: SUITE,
      file: directory,
      description: `What was recorded in ${directory}`,
      sha256: digestOf(Buffer.from(JSON.stringify(sessions.map(({ name, calls, ns }) => [name, calls, ns])))),
      cases: sessions.map((session) => caseOf(session, directory, place)),
    },
  ];
}

/** @returns the sessions, and where the trace is: unpacked, if it was packed */
async function readSessions(directory: string, cwd: string): Promise<{ sessions: RecordedSession[]; place: string }> {
  try {
    const place = await traceDirectory(resolve(cwd, directory), directory);
    const trace = openTrace(place, directory);
    if (trace.manifest.programsOnly)
      throw new TraceError(
        `${directory}: it has only the calls that compile programs; record without --programs-only to replay it`,
      );
    return { sessions: trace.processes.flatMap(sessionsOf), place };
  } catch (error) {
    if (error instanceof TraceError) throw new UsageError(error.message, { options: ['trace'] });
    throw error;
  }
}

function caseOf(
  { name, calls, executions, devices, ns, plugin, process }: RecordedSession,
  file: string,
  path: string,
): Case {
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
    deadline: { case: LEAST_MS + Math.ceil((SLOWER * ns) / 1e6) },
    steps: [{ verb: 'probe', name: 'replay', with: { trace: path, process: process.name, plugin }, line: 1 }],
  };
}
