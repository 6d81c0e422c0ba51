import { existsSync, readFileSync } from 'node:fs';
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
  const suites = new Map(files.filter(({ role }) => role === 'suite').map((file) => [file.of!, file]));
  const known = new Map<string, Case[]>();
  const casesOf = (id: string): Case[] => {
    const done = known.get(id);
    if (done) return done;
    // While it is being read, it has no cases.
    known.set(id, []);
    const own = packagePath('suites', `${id}.yaml`);
    // What a case runs with others may be of a suite that did not run: then it is the package's.
    const { path, text } = suites.get(id) ?? { path: own, text: existsSync(own) ? readFileSync(own, 'utf8') : '' };
    const cases = readSuite(text, { file: path, id, requirements, sets, vocabulary: {}, casesOf }).suite?.cases ?? [];
    known.set(id, cases);
    return cases;
  };
  return [...suites.keys()].flatMap(casesOf);
}
