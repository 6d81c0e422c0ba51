import { readFileSync } from 'node:fs';
import { packagePath } from './paths.ts';

/** Name and version from package.json. */
export const TOOL: { name: string; version: string } = (({ name, version }) => ({ name, version }))(
  JSON.parse(readFileSync(packagePath('package.json'), 'utf8')) as { name: string; version: string },
);
