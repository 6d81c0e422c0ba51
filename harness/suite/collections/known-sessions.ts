import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { packagePath } from '../../base/paths.ts';
import { UsageError } from '../../base/usage-error.ts';
import { PACKED } from '../../knowledge/trace/packed-files.ts';

/** Recordings of small scripts with releases of frameworks: `jax-0.10.2-train.tar.br` (`npm run record:sessions`). */
export const SESSIONS = packagePath('frameworks', 'sessions');

/** A recording, and what it is called. */
export interface PlacedTrace {
  file: string;
  shown: string;
  /** Name of its session, if the package has it. */
  name?: string;
}

/** What a place means: a trace of the user, or the recordings of a release, `jax@0.10.2`. @throws UsageError for another release */
export function placedTraces(place: string, cwd: string): PlacedTrace[] {
  const [, framework, version] = /^([a-z]+)@([\d.]+)$/.exec(place) ?? [];
  if (framework === undefined || existsSync(resolve(cwd, place))) return [{ file: resolve(cwd, place), shown: place }];
  const names = readdirSync(SESSIONS)
    .filter((file) => file.endsWith(PACKED))
    .map((file) => file.slice(0, -PACKED.length));
  const found = names.filter((name) => name.startsWith(`${framework}-${version}-`));
  if (found.length > 0)
    return found.map((name) => ({ file: join(SESSIONS, `${name}${PACKED}`), shown: `${name}${PACKED}`, name }));
  const known = new Set(names.map((name) => name.replace(/-([^-]*)-[^-]*$/, '@$1')));
  throw new UsageError(`there is no recording of ${place}, only of ${[...known].join(', ')}`, { options: ['trace'] });
}
