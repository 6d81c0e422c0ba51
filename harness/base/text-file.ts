import { readFileSync, statSync } from 'node:fs';
import { systemReason } from './system-reason.ts';

/**
 * The text of a file written by a person.
 * @throws Error whose message continues `cannot be read: `: it does not exist, is no file, or no text
 */
export function readTextFile(path: string): string {
  const bytes = bytesOf(path);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new Error('it is not UTF-8 text', { cause: error });
  }
}

function bytesOf(path: string): Buffer {
  try {
    const facts = statSync(path);
    // Reading a device may never end, and opening a pipe may block.
    if (!facts.isFile())
      throw new Error(`it is a ${facts.isDirectory() ? 'directory' : 'device or a pipe'}, not a file`);
    return readFileSync(path);
  } catch (cause) {
    throw new Error(systemReason(cause), { cause });
  }
}
