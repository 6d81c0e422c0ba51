import { readFileSync, type Stats, statSync } from 'node:fs';

/** In place of the words of the system, which name the call too. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'permission denied',
  ELOOP: 'it is a link that leads to itself',
};

function factsOf(path: string): Stats {
  try {
    return statSync(path);
  } catch (error) {
    throw named(error);
  }
}

const named = (error: unknown): unknown => {
  const reason = REASONS[(error as NodeJS.ErrnoException).code ?? ''];
  return reason === undefined ? error : new Error(reason, { cause: error });
};

/**
 * The text of a file written by a person.
 * @throws Error whose message continues `cannot be read: `: it does not exist, is no file, or no text
 */
export function readTextFile(path: string): string {
  const facts = factsOf(path);
  // Reading a device may never end, and opening a pipe may block.
  if (!facts.isFile()) throw new Error(`it is a ${facts.isDirectory() ? 'directory' : 'device or a pipe'}, not a file`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    throw error instanceof TypeError ? new Error('it is not UTF-8 text', { cause: error }) : named(error);
  }
}
