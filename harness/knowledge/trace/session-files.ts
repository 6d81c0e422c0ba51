import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../base/paths.ts';
import { PACKED } from './packed-files.ts';

/** Recordings of small scripts with releases of frameworks: `jax-0.10.2-train.tar.br` (`npm run record:sessions`). */
export const SESSIONS = packagePath('frameworks', 'sessions');

/** File of a session of the package. */
export const sessionFile = (name: string): string => join(SESSIONS, `${name}${PACKED}`);

/** Names of the sessions that the package has: `jax-0.10.2-train`. */
export const sessionNames = (): string[] =>
  readdirSync(SESSIONS)
    .filter((file) => file.endsWith(PACKED))
    .map((file) => file.slice(0, -PACKED.length));

/** The releases of a framework of which the package has sessions, in no order. */
export const releasesOf = (framework: string): string[] => [
  ...new Set(sessionNames().flatMap((name) => new RegExp(`^${framework}-(.+)-[^-]+$`).exec(name)?.[1] ?? [])),
];
