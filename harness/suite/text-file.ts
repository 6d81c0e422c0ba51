import { readFileSync, statSync } from 'node:fs';

/**
 * The text of a file that a person wrote.
 * @throws Error whose message goes on after `cannot be read: `: there is none, it is no file, or no text
 */
export function readTextFile(path: string): string {
  const facts = statSync(path);
  // A device never ends, and a pipe may never begin.
  if (!facts.isFile()) throw new Error(`it is a ${facts.isDirectory() ? 'directory' : 'device or a pipe'}, not a file`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    throw error instanceof TypeError ? new Error('it is not UTF-8 text', { cause: error }) : error;
  }
}
