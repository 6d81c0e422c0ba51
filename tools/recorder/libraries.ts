import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../harness/base/paths.ts';
import { recorderLibrary, recordingPlugin } from '../../harness/commands/record/recorder-library.ts';

/** A library that records. */
interface RecorderLibrary {
  /** The file of a system. */
  fileOf(system: string): string;
  /** Sources that no other library has. */
  own: readonly string[];
  /** The only name that it exports. */
  exported: string;
  flags: readonly string[];
}

export const DIRECTORY = packagePath('plugins', 'recorder');

/** The one for LD_PRELOAD. */
export const PRELOADED: RecorderLibrary = {
  fileOf: recorderLibrary,
  own: ['dlsym.cc', 'setting_in_environment.cc'],
  exported: 'dlsym',
  flags: [],
};

/** All of them; the last is a plugin, and what it has wrapped is called until the process ends. */
export const LIBRARIES: readonly RecorderLibrary[] = [
  PRELOADED,
  {
    fileOf: recordingPlugin,
    own: ['as_plugin.cc', 'setting_in_file.cc'],
    exported: 'GetPjrtApi',
    flags: ['-Wl,-z,nodelete'],
  },
];

/** Paths of a library's sources. */
export function sourcesOf(library: RecorderLibrary): string[] {
  const others = LIBRARIES.flatMap((one) => (one === library ? [] : one.own));
  const names = readdirSync(DIRECTORY).filter((name) => name.endsWith('.cc') && !others.includes(name));
  return names.sort().map((name) => join(DIRECTORY, name));
}
