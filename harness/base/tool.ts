import { readFileSync } from 'node:fs';
import { packagePath } from './paths.ts';

/** Name and version from package.json. */
export const TOOL: { name: string; version: string } = (({ name, version }) => ({ name, version }))(
  JSON.parse(readFileSync(packagePath('package.json'), 'utf8')) as { name: string; version: string },
);

/** The file that `npm pack` makes of this package. */
export const TARBALL = `${TOOL.name}-${TOOL.version}.tgz`;

/**
 * How a CI job runs this package: from its tarball, because it is not in the registry yet, where anyone could take its name and be
 * run by everyone's jobs.
 */
export const NPX = `npx --yes --package ./${TARBALL} ${TOOL.name}`;
