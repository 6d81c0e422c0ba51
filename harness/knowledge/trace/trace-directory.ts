import { rmSync, statSync } from 'node:fs';
import { scratchDirectory } from '../../base/scratch.ts';
import { unpackTrace } from './unpack-trace.ts';

const unpacked = new Map<string, Promise<string>>();

/**
 * Where the files of a trace are: a packed one is unpacked once, to a directory that is removed when this process ends.
 * @param shown its path for messages @throws TraceError if it cannot be unpacked
 */
export function traceDirectory(path: string, shown = path): Promise<string> {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return Promise.resolve(path);
  let place = unpacked.get(path);
  if (!place) {
    place = unpack(path, shown);
    unpacked.set(path, place);
  }
  return place;
}

async function unpack(path: string, shown: string): Promise<string> {
  const directory = scratchDirectory('trace');
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  await unpackTrace(path, shown, directory);
  return directory;
}
