import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sax from 'sax';
import { readEvents } from '../../harness/report/index.ts';

/** What is wrong with the files that the command wrote, which must be readable whatever the input was. */
export function outputFault(directory: string): string | undefined {
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    try {
      READERS[/\w+$/.exec(entry.name)?.[0] ?? '']?.(path);
    } catch (error) {
      return `wrote ${entry.name}, which cannot be read: ${(error as Error).message}`;
    }
    if (entry.name.endsWith('.tmp')) return `left ${entry.name} behind`;
  }
  return undefined;
}

const text = (path: string): string => new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));

const json = (path: string): void => JSON.parse(text(path));

const READERS: Readonly<Record<string, (path: string) => void>> = {
  json,
  sarif: json,
  jsonl: (path) => {
    for (const _ of readEvents(path));
  },
  xml: (path) => {
    const strict = sax.parser(true);
    strict.onerror = (error) => {
      throw error;
    };
    strict.write(text(path)).close();
  },
  html: (path) => {
    if (!text(path).trimEnd().endsWith('</html>')) throw new Error('it does not end');
  },
  md: text,
};
