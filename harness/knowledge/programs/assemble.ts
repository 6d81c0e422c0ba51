/** StableHLO text as a portable artifact, for plugins that read artifacts only (docs/programs.md). */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDirectoryOf } from '../../base/cache-directory.ts';
import { packagePath } from '../../base/paths.ts';
import { pythonWith } from '../../base/python.ts';
import { writeCached } from '../../base/write-cached.ts';
import type { StablehloVersion } from './stablehlo-version.ts';

/** What keeps a text from becoming an artifact. */
export class AssemblyError extends Error {
  override name = 'AssemblyError';
  /**
   * `python`: there is none; `jaxlib`: it has none, or none that works; `parse`: the text is no StableHLO; `version`: it
   * cannot be written at a version that the plugin reads; `failed`: the assembler did not finish.
   */
  readonly kind: 'python' | 'jaxlib' | 'parse' | 'version' | 'failed';

  constructor(kind: AssemblyError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** The versions that a plugin reads; what it does not announce is undefined. */
export interface VersionRange {
  current?: StablehloVersion | undefined;
  minimum?: StablehloVersion | undefined;
}

const SCRIPT = packagePath('consumers', 'assemble', 'assemble.py');
/** The exit code with which the script says why not. */
const REFUSED = 3;
const DEADLINE_MS = 120_000;
const LARGEST = 2 ** 31 - 1;

/**
 * Serializes a text with the jaxlib of the user's Python, at the newest version in the range that this jaxlib writes; for
 * a plugin that announces none, at an old one. Results are kept in the cache directory.
 * @param name the file of the text, for messages
 * @throws AssemblyError
 */
export function assemble(text: Uint8Array, name: string, { current, minimum }: VersionRange): Uint8Array {
  const python = pythonWith('jaxlib');
  if ('missing' in python) {
    throw new AssemblyError(python.missing.startsWith('Python') ? 'python' : 'jaxlib', `needs ${python.missing}`);
  }
  const versions = [current?.join('.') ?? 'any', minimum?.join('.') ?? 'any'];
  const script = readFileSync(SCRIPT);
  const parts = [script, python.libraries.jaxlib!, ...versions, text];
  const key = parts.reduce((hash, part) => hash.update(part).update('\0'), createHash('sha256')).digest('hex');
  const cached = join(cacheDirectoryOf(process.env), 'assembled', `${key}.mlirbc`);
  const known = recalled(cached);
  if (known !== undefined) return known;
  const artifact = assembled(python.command, versions, text, name);
  writeCached(cached, artifact);
  return artifact;
}

function assembled(command: string, versions: readonly string[], text: Uint8Array, name: string): Uint8Array {
  const { status, signal, stdout, stderr, error } = spawnSync(command, [SCRIPT, ...versions], {
    input: text,
    timeout: DEADLINE_MS,
    killSignal: 'SIGKILL',
    maxBuffer: LARGEST,
  });
  if (status === 0) return stdout;
  if (status === REFUSED) throw refusal(stdout.toString('utf8'), name);
  const ending = error?.message ?? (signal === null ? `exit code ${status}` : signal);
  const tail = stderr?.toString('utf8').trim().split('\n').at(-1) ?? '';
  throw new AssemblyError('failed', `${command} ${SCRIPT}: ${ending}${tail === '' ? '' : `: ${tail}`}`);
}

function refusal(text: string, name: string): AssemblyError {
  const { kind, message, line, column } = JSON.parse(text) as Refusal;
  const place = line === undefined ? name : `${name}:${line}:${column}`;
  if (kind === 'jaxlib') return new AssemblyError(kind, `jaxlib cannot be used: ${message}`);
  return new AssemblyError(kind, `${place}: ${message}`);
}

/** What the script prints. */
interface Refusal {
  kind: 'jaxlib' | 'parse' | 'version';
  message: string;
  line?: number;
  column?: number;
}

function recalled(path: string): Uint8Array | undefined {
  try {
    return readFileSync(path);
  } catch {
    // Not there, or not readable: it is made again.
    return undefined;
  }
}
