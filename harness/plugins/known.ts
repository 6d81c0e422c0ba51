import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { packagePath } from '../paths.ts';
import { readManifest } from './manifest.ts';
import type { Manifest, Recognition } from './types.ts';

/** Folder of the manifests that ship with the package. */
export const knownFolder = (): string => packagePath('plugins', 'known');

/** All manifests of a folder, by name. */
export const readKnownManifests = async (folder: string = knownFolder()): Promise<Manifest[]> => {
  const files = (await readdir(folder)).filter((file) => /\.ya?ml$/.test(file)).sort();
  return Promise.all(files.map((file) => readManifest(join(folder, file))));
};

/** SHA-256 sums of the libraries that a manifest pins. */
export const pinnedHashes = (manifest: Manifest): string[] =>
  Object.values(manifest.package?.platforms ?? {}).map(({ sha256 }) => sha256);

/** The manifest that fits a library given by path: by its bytes, else by its file name. */
export const recogniseLibrary = (
  manifests: readonly Manifest[],
  library: string,
  sha256: string,
): { manifest: Manifest; by: Recognition } | undefined => {
  const exact = manifests.find((manifest) => pinnedHashes(manifest).includes(sha256));
  if (exact !== undefined) return { manifest: exact, by: 'sha256' };
  const named = manifests.find((manifest) => manifest.libraryNames.includes(basename(library)));
  return named && { manifest: named, by: 'file-name' };
};
