import { readdir, readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { packagePath } from '../../base/paths.ts';
import type { Manifest, Recognition } from '../../model/plugin.ts';
import { parseConfig } from './config-file.ts';
import { readManifest, toManifest } from './manifest.ts';

/** Manifests by name and by library. */
export interface KnownPlugins {
  names(): string[];
  /** By name, ignoring case. */
  named(name: string): Manifest | undefined;
  /** The manifest for a library given by path: by its hash, else by its file name. */
  recognise(library: string, sha256: string): { manifest: Manifest; by: Recognition } | undefined;
}

/** Directory of the manifests in the package. */
export const knownDirectory = (): string => packagePath('plugins', 'known');

/** SHA-256 sums of the libraries that a manifest pins. */
export const pinnedHashes = (manifest: Manifest): string[] =>
  Object.values(manifest.package?.platforms ?? {}).map(({ sha256 }) => sha256);

/** Look-up in given manifests. */
export const knownFrom = (manifests: readonly Manifest[]): KnownPlugins => ({
  names: () => manifests.map(({ name }) => name),
  named: (name) => manifests.find((manifest) => manifest.name.toLowerCase() === name.toLowerCase()),
  recognise: (library, sha256) => {
    const exact = manifests.find((manifest) => pinnedHashes(manifest).includes(sha256));
    if (exact !== undefined) return { manifest: exact, by: 'sha256' };
    const named = manifests.find((manifest) => manifest.libraryNames.includes(basename(library)));
    return named && { manifest: named, by: 'file-name' };
  },
});

const manifestFiles = async (directory: string): Promise<string[]> =>
  (await readdir(directory)).filter((file) => /\.ya?ml$/.test(file)).sort();

/** All manifests of a directory, validated against the schema. */
export const readKnownManifests = async (directory: string = knownDirectory()): Promise<Manifest[]> =>
  Promise.all((await manifestFiles(directory)).map((file) => readManifest(join(directory, file))));

/**
 * Look-up in the manifests of the package. A command needs at most one of them, so the others are not parsed, and none is
 * validated again, because the tests do that. File names are plugin names.
 */
export const shippedPlugins = async (directory: string = knownDirectory()): Promise<KnownPlugins> => {
  const files = await manifestFiles(directory);
  const texts = await Promise.all(
    files.map(async (name) => {
      const file = join(directory, name);
      return { name: basename(name, extname(name)), file, text: await readFile(file, 'utf8') };
    }),
  );
  const parse = (wanted: typeof texts): KnownPlugins =>
    knownFrom(wanted.map(({ file, text }) => toManifest(parseConfig(file, text), { checked: true })));
  return {
    names: () => texts.map(({ name }) => name),
    named: (wanted) => parse(texts.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase())).named(wanted),
    recognise: (library, sha256) => {
      const mentions = texts.filter(({ text }) => text.includes(sha256) || text.includes(basename(library)));
      return parse(mentions).recognise(library, sha256);
    },
  };
};
