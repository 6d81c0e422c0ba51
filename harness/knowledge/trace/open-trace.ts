import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemReason } from '../../base/system-reason.ts';
import { pluginIn } from './bodies.ts';
import { hasName } from './digest.ts';
import { KIND, type Memory, TRACE_FORMAT, TRACE_MAJOR, type TraceRecord } from './format.ts';
import { openProcess, type ProcessFiles, type ReadNotes, recordsOf, scanRecords } from './read-process.ts';
import type { PieceCursor } from './segment.ts';
import { TraceError } from './trace-error.ts';

/** The first and the last execution. */
export interface ExecutionWindow {
  first: number;
  last: number;
}

/** `manifest.json` of a trace. */
export interface TraceManifest {
  format: typeof TRACE_FORMAT;
  /** `1.0`. */
  version: string;
  /** ISO 8601. */
  recorded: string;
  /** What is kept of host data. */
  keep: 'all' | 'hashes' | 'none';
  /** Of which executions arguments and results are read. */
  contents: 'first' | 'every' | 'none';
  programsOnly: boolean;
  /** Executions of each process, from 1 on, from the first to the last of which everything was recorded, and only programs elsewhere. */
  window?: ExecutionWindow;
  /** The latest StableHLO that plugins could say they read, if there was such a limit: `1.13.0`. */
  stablehlo?: string;
  /** Of a part of a session: its calls, and those of the whole. */
  part?: { calls: number; of: number };
}

/** A recorded process. */
export interface TraceProcess {
  /** `pid-42`. */
  name: string;
  pid: number;
  /** Milliseconds since 1970. */
  begun: number;
  /** Of its segments. */
  bytes: number;
  /** Paths of its plugins. */
  plugins(): string[];
  /** Its records in their order. */
  records(): Generator<TraceRecord>;
  /** Its records, those of each piece in their order, by a cursor that goes on after each: at a fraction of the time. */
  scan(visit: (record: PieceCursor) => void): void;
}

/** A trace on disk. */
export interface Trace {
  manifest: TraceManifest;
  processes: TraceProcess[];
  /** What was noticed so far. */
  notes: ReadNotes;
  /** The bytes of memory that was kept; undefined if they were not. @throws TraceError if the file of a blob is not what it was */
  bytesOf(memory: Memory): Buffer | undefined;
}

/** Opens a trace. @param shown its path for messages @throws TraceError */
export function openTrace(directory: string, shown = directory): Trace {
  const manifest = readManifest(join(directory, 'manifest.json'), join(shown, 'manifest.json'));
  const notes: ReadNotes = { cut: [] };
  const processes = readdirSync(directory)
    .filter((name) => /^pid-\d+(?:\.\d+)?$/.test(name))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .map((name): TraceProcess => {
      const own = join(directory, name);
      const files: ProcessFiles = openProcess(own, join(shown, name));
      const { pid, begun, bytes } = files;
      const records = (): Generator<TraceRecord> => recordsOf(files, own, notes);
      const scan = (visit: (record: PieceCursor) => void): void => scanRecords(files, own, notes, visit);
      return { name, pid, begun, bytes, records, scan, plugins: () => pluginsIn(scan) };
    });
  return { manifest, processes, notes, bytesOf: (memory) => bytesOf(directory, shown, memory) };
}

/** Paths of the plugins that records name. */
function pluginsIn(scan: TraceProcess['scan']): string[] {
  const found: string[] = [];
  scan((at) => {
    if (at.kind === KIND.plugin) found.push(pluginIn(at.record()).path);
  });
  return found;
}

function readManifest(path: string, shown: string): TraceManifest {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new TraceError(
      `${shown}: cannot be read: ${systemReason(error)}; a trace is a directory that \`pjrt-conformance record\` writes`,
    );
  }
  let manifest: TraceManifest;
  try {
    manifest = JSON.parse(text) as TraceManifest;
  } catch {
    throw new TraceError(`${shown}: no JSON; a trace is a directory that \`pjrt-conformance record\` writes`);
  }
  if (manifest?.format !== TRACE_FORMAT)
    throw new TraceError(`${shown}: "format" must be "${TRACE_FORMAT}"; this is no trace`);
  const version = /^(\d+)\.\d+$/.exec(String(manifest.version));
  if (!version) throw new TraceError(`${shown}: "version" must be a number like 1.0`);
  if (Number(version[1]) !== TRACE_MAJOR)
    throw new TraceError(
      `${shown}: version ${manifest.version} of the format, and this version of pjrt-conformance reads ${TRACE_MAJOR}.x; read it with the version that recorded it`,
    );
  return manifest;
}

function bytesOf(directory: string, shown: string, { form, data, name, bytes }: Memory): Buffer | undefined {
  if (form === 'inline') return data;
  if (form !== 'blob' || name === undefined) return undefined;
  const parts = ['blobs', name.slice(0, 2), name];
  let found: Buffer;
  try {
    if (statSync(join(directory, ...parts)).size !== bytes)
      throw new TraceError(`has another size than ${bytes} bytes`);
    found = readFileSync(join(directory, ...parts));
  } catch (error) {
    const reason = error instanceof TraceError ? error.message : `cannot be read: ${systemReason(error)}`;
    throw new TraceError(`${join(shown, ...parts)}: ${reason}; copy the whole directory, or make the recording again`);
  }
  if (!hasName(found, name))
    throw new TraceError(`${join(shown, ...parts)}: its contents are not those of its name; the trace is damaged`);
  return found;
}
