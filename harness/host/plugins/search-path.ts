import type { Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, delimiter, join, resolve } from 'node:path';
import type { Environment } from '../../base/environment.ts';
import { systemReason } from '../../base/system-reason.ts';
import { isLibraryName, isManifestName, pluginNameOf, stemOf } from './plugin-name.ts';

/** Variables that name plugins, in search order. */
const SEARCH_VARIABLES = ['PJRT_PLUGIN_LIBRARY_PATH', 'PJRT_NAMES_AND_LIBRARY_PATHS'] as const;

export type SearchVariable = (typeof SEARCH_VARIABLES)[number];

/** A file from a variable. `passedOver` is the reason if it is skipped; otherwise `name` and `kind` are set. */
interface Candidate {
  variable: SearchVariable;
  /** The entry as written. */
  entry: string;
  /** Absolute path. */
  file: string;
  name?: string;
  kind?: 'library' | 'manifest';
  passedOver?: string;
}

const kindOf = (file: string): Candidate['kind'] =>
  isManifestName(file) ? 'manifest' : isLibraryName(file) ? 'library' : undefined;

/** Plugins in a directory by the RFC's convention. A manifest takes precedence over the library of the same name beside it. */
export const scanDirectory = async (directory: string): Promise<Omit<Candidate, 'variable' | 'entry'>[]> => {
  const names = (await readdir(directory)).sort();
  const described = new Map(
    names.filter((name) => isManifestName(name)).map((name) => [pluginNameOf(name), name] as const),
  );
  return names
    .filter((name) => kindOf(name) !== undefined)
    .map((name) => {
      const file = join(directory, name);
      const plugin = pluginNameOf(name);
      if (plugin === undefined) return { file, passedOver: 'not named pjrt-plugin-<name>.so or .json' };
      const manifest = described.get(plugin);
      if (manifest !== undefined && manifest !== name) {
        return { file, passedOver: `${manifest} beside it describes this plugin` };
      }
      return { file, name: plugin, kind: kindOf(name) };
    });
};

/** What a path of an entry leads to; a path that cannot be examined is passed over. */
const lookAt = async (
  from: Pick<Candidate, 'variable' | 'entry'>,
  file: string,
  seen: (facts: Stats) => Promise<Omit<Candidate, 'variable' | 'entry'>[]>,
): Promise<Candidate[]> => {
  try {
    return (await seen(await stat(file))).map((candidate) => ({ ...from, ...candidate }));
  } catch (error) {
    return [{ ...from, file, passedOver: systemReason(error) }];
  }
};

const inLibraryPath = (entry: string, cwd: string): Promise<Candidate[]> => {
  const file = resolve(cwd, entry);
  return lookAt({ variable: 'PJRT_PLUGIN_LIBRARY_PATH', entry }, file, async (facts) => {
    const inside = facts.isDirectory() ? await scanDirectory(file) : undefined;
    if (inside) return inside.length > 0 ? inside : [{ file, passedOver: 'the directory contains no plugin' }];
    const kind = kindOf(file);
    if (kind === undefined) return [{ file, passedOver: 'neither a directory nor a .so or .json file' }];
    return [{ file, kind, name: pluginNameOf(basename(file)) ?? stemOf(basename(file)) }];
  });
};

/** JAX's variable: `name:path` separated by commas; the path may be a JSON file. */
const inNamesAndPaths = async (entry: string, cwd: string): Promise<Candidate[]> => {
  const colon = entry.indexOf(delimiter);
  const from = { variable: 'PJRT_NAMES_AND_LIBRARY_PATHS', entry } as const;
  if (colon <= 0 || colon === entry.length - 1)
    return [{ ...from, file: entry, passedOver: `not of the form name${delimiter}path` }];
  const file = resolve(cwd, entry.slice(colon + 1));
  return lookAt(from, file, async (facts) => {
    if (!facts.isFile()) return [{ file, passedOver: 'not a file' }];
    return [{ file, name: entry.slice(0, colon), kind: isManifestName(file) ? 'manifest' : 'library' }];
  });
};

const entriesOf = (value = '', separator: string): string[] => value.split(separator).filter((part) => part !== '');

/** All files from the two variables, in order; of two plugins with one name the first is used. */
export const searchPlugins = async (env: Environment, cwd: string): Promise<Candidate[]> => {
  const found = await Promise.all([
    ...entriesOf(env.PJRT_PLUGIN_LIBRARY_PATH, delimiter).map((entry) => inLibraryPath(entry, cwd)),
    ...entriesOf(env.PJRT_NAMES_AND_LIBRARY_PATHS, ',').map((entry) => inNamesAndPaths(entry, cwd)),
  ]);
  const taken = new Map<string, string>();
  return found.flat().map((candidate) => {
    if (candidate.name === undefined || candidate.passedOver !== undefined) return candidate;
    const key = candidate.name.toLowerCase();
    const first = taken.get(key);
    if (first !== undefined) return { ...candidate, passedOver: `the name is taken by ${first}` };
    taken.set(key, candidate.file);
    return candidate;
  });
};
