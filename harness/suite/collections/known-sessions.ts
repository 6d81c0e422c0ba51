import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { UsageError } from '../../base/usage-error.ts';
import { PACKED } from '../../knowledge/trace/packed-files.ts';
import { sessionFile, sessionNames } from '../../knowledge/trace/session-files.ts';

/** A recording, and what it is called. */
export interface PlacedTrace {
  file: string;
  shown: string;
  /** Name of its session, if the package has it. */
  name?: string;
}

const RELEASE = /^([a-z]+)@([\d.]+)$/;

/** Whether a place is meant to be a trace: a directory with a manifest, a packed file, or a release. */
export function isTrace(place: string, cwd: string): boolean {
  const path = resolve(cwd, place);
  if (!existsSync(path)) return RELEASE.test(place) || place.endsWith(PACKED);
  return place.endsWith(PACKED) || existsSync(join(path, 'manifest.json'));
}

/** What a place means: a trace of the user, or the recordings of a release, `jax@0.10.2`. @throws UsageError for another release */
export function placedTraces(place: string, cwd: string): PlacedTrace[] {
  const [, framework, version] = RELEASE.exec(place) ?? [];
  if (framework === undefined || existsSync(resolve(cwd, place))) return [{ file: resolve(cwd, place), shown: place }];
  const names = sessionNames();
  const found = names.filter((name) => name.startsWith(`${framework}-${version}-`));
  if (found.length > 0)
    return found.map((name) => ({ file: sessionFile(name), shown: basename(sessionFile(name)), name }));
  const known = new Set(names.map((name) => name.replace(/-([^-]*)-[^-]*$/, '@$1')));
  throw new UsageError(`there is no recording of ${place}, only of ${[...known].join(', ')}`, { options: ['trace'] });
}
