import { readdir, stat } from 'node:fs/promises';
import { basename, delimiter, join, resolve } from 'node:path';
import type { Environment } from '../../base/environment.ts';
import { errnoOf, messageOf } from './plugin-error.ts';
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

const reasonOf = (error: unknown): string => {
  const errno = errnoOf(error);
  if (errno === 'ENOENT' || errno === 'ENOTDIR') return 'no such file or directory';
  return errno === 'EACCES' ? 'permission denied' : messageOf(error);
};

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

const scanLibraryPath = async (value: string, cwd: string): Promise<Candidate[]> => {
  const found: Candidate[] = [];
  for (const entry of value.split(delimiter).filter((part) => part !== '')) {
    const file = resolve(cwd, entry);
    const from = { variable: 'PJRT_PLUGIN_LIBRARY_PATH', entry } as const;
    try {
      const facts = await stat(file);
      if (facts.isDirectory()) {
        const inside = await scanDirectory(file);
        found.push(...inside.map((candidate) => ({ ...from, ...candidate })));
        if (inside.length === 0) found.push({ ...from, file, passedOver: 'the directory contains no plugin' });
        continue;
      }
      const kind = kindOf(file);
      if (kind === undefined) found.push({ ...from, file, passedOver: 'neither a directory nor a .so or .json file' });
      else found.push({ ...from, file, kind, name: pluginNameOf(basename(file)) ?? stemOf(basename(file)) });
    } catch (error) {
      found.push({ ...from, file, passedOver: reasonOf(error) });
    }
  }
  return found;
};

/** JAX's variable: `name:path` separated by commas; the path may be a JSON file. */
const scanNamesAndPaths = async (value: string, cwd: string): Promise<Candidate[]> => {
  const found: Candidate[] = [];
  for (const entry of value.split(',').filter((part) => part !== '')) {
    const colon = entry.indexOf(delimiter);
    const from = { variable: 'PJRT_NAMES_AND_LIBRARY_PATHS', entry } as const;
    if (colon <= 0 || colon === entry.length - 1) {
      found.push({ ...from, file: entry, passedOver: `not of the form name${delimiter}path` });
      continue;
    }
    const file = resolve(cwd, entry.slice(colon + 1));
    const name = entry.slice(0, colon);
    try {
      const isFile = (await stat(file)).isFile();
      if (!isFile) found.push({ ...from, file, passedOver: 'not a file' });
      else found.push({ ...from, file, name, kind: isManifestName(file) ? 'manifest' : 'library' });
    } catch (error) {
      found.push({ ...from, file, passedOver: reasonOf(error) });
    }
  }
  return found;
};

/** All files from the two variables, in order; of two plugins with one name the first is used. */
export const searchPlugins = async (env: Environment, cwd: string): Promise<Candidate[]> => {
  const all = [
    ...(await scanLibraryPath(env.PJRT_PLUGIN_LIBRARY_PATH ?? '', cwd)),
    ...(await scanNamesAndPaths(env.PJRT_NAMES_AND_LIBRARY_PATHS ?? '', cwd)),
  ];
  const taken = new Map<string, string>();
  return all.map((candidate) => {
    if (candidate.name === undefined || candidate.passedOver !== undefined) return candidate;
    const key = candidate.name.toLowerCase();
    const first = taken.get(key);
    if (first !== undefined) return { ...candidate, passedOver: `the name is taken by ${first}` };
    taken.set(key, candidate.file);
    return candidate;
  });
};
