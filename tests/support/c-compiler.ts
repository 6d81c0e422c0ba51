import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { threadId } from 'node:worker_threads';

const run = promisify(execFile);

/** Compilers that run at the same time, per test process: the plugins under test need the processors too. */
const PARALLEL = 2;

/** A C file that could not be built, or no compiler to build it with. */
export class CompileError extends Error {
  override name = 'CompileError';
}

let running = 0;
const waiting: (() => void)[] = [];

async function limited<T>(work: () => Promise<T>): Promise<T> {
  if (running >= PARALLEL) await new Promise<void>((resume) => waiting.push(resume));
  else running += 1;
  try {
    return await work();
  } finally {
    // The slot passes directly to the next in line, so that none can overtake.
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

const CANDIDATES = process.env.CC ? [process.env.CC] : ['cc', 'gcc', 'clang'];

/** The first candidate that works: $CC if it is set, else cc, gcc or clang. */
export async function findCompiler(candidates: readonly string[] = CANDIDATES): Promise<string> {
  for (const candidate of candidates) {
    const answers = run(candidate, ['--version']).then(
      () => true,
      () => false,
    );
    if (await answers) return candidate;
  }
  throw new CompileError(
    `no C compiler: tried ${candidates.join(', ')}; install gcc or clang with the headers of the C library, or set CC`,
  );
}

let found: Promise<string> | undefined;

/** Runs the C compiler, or another one, two at a time; an error has the command and the compiler's output. */
export async function compile(args: readonly string[], compiler?: string): Promise<void> {
  found ??= findCompiler();
  const cc = compiler ?? (await found);
  await limited(() => run(cc, [...args])).catch((error: { stderr?: string; message: string }) => {
    throw new CompileError(`${cc} ${args.join(' ')}\n${error.stderr ?? error.message}`);
  });
}

/** Hash of everything that goes into a build: file contents by name, flags, other hashes. */
export function buildKey(files: readonly string[], others: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(file)).update('\0');
  for (const other of others) hash.update(other).update('\0');
  return hash.digest('hex').slice(0, 32);
}

const inProgress = new Map<string, Promise<string>>();

/**
 * Makes `path` with `build`, unless it was made from the same `key` before. Files are renamed into place when complete, so
 * that concurrent test processes with the same build do not interfere.
 */
export function cached(path: string, key: string, build: (temporary: string) => Promise<void> | void): Promise<string> {
  const id = `${path} ${key}`;
  const pending = inProgress.get(id);
  if (pending) return pending;
  const made = (async () => {
    const keyFile = `${path}.key`;
    if (existsSync(path) && existsSync(keyFile) && readFileSync(keyFile, 'utf8') === key) return path;
    mkdirSync(dirname(path), { recursive: true });
    const own = `${process.pid}-${threadId}`;
    const temporary = `${path}.${own}`;
    await build(temporary);
    renameSync(temporary, path);
    writeFileSync(`${keyFile}.${own}`, key);
    renameSync(`${keyFile}.${own}`, keyFile);
    return path;
  })();
  inProgress.set(id, made);
  const forget = () => inProgress.delete(id);
  made.then(forget, forget);
  return made;
}
