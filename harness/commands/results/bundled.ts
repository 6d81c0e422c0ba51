import { readFileSync } from 'node:fs';
import { packagePath } from '../../base/paths.ts';
import type { Event } from '../../model/events.ts';
import { loadSets, parseSets, readSuite } from '../../suite/load.ts';
import { parseRequirements } from '../../suite/requirements.ts';
import type { Case } from '../../suite/types.ts';
import { type Entries, LIMITS, readArchive } from '../verify/archive.ts';

/** The files of a verified bundle, by what its manifest says that they are. */
export interface Bundled {
  role: string;
  of?: string;
  path: string;
  text: string;
}

/** Reads a bundle that violates no rule of `verify`. */
export async function readBundled(path: string): Promise<Bundled[]> {
  const entries: Entries = await readArchive(path, LIMITS, () => {});
  const { files } = JSON.parse(entries['manifest.json']!.content!.toString('utf8')) as {
    files: { role: string; of?: string; path: string }[];
  };
  // Plugins are not kept.
  return files.flatMap(({ role, of, path: name }) => {
    const content = entries[name]?.content;
    return content ? [{ role, path: name, text: content.toString('utf8'), of }] : [];
  });
}

/** The events of its log. */
export const eventsOf = (files: readonly Bundled[]): Event[] =>
  files
    .find(({ role }) => role === 'log')!
    .text.split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Event);

/** The cases that its suites define. @throws SuiteError */
export function casesOf(files: readonly Bundled[]): Case[] {
  const data = (name: string): string | undefined =>
    files.find(({ role, path }) => role === 'suite-data' && path.endsWith(`/${name}`))?.text;
  const catalogue = data('requirements.yaml') ?? readFileSync(packagePath('suites', 'requirements.yaml'), 'utf8');
  const requirements = parseRequirements(catalogue, 'requirements.yaml');
  const text = data('sets.yaml');
  const sets = text === undefined ? loadSets() : parseSets(text, 'sets.yaml');
  return files.flatMap(({ role, of, path, text: suite }) => {
    if (role !== 'suite') return [];
    return readSuite(suite, { file: path, id: of, requirements, sets, vocabulary: {} }).suite?.cases ?? [];
  });
}
