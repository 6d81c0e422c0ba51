import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, constants, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { didYouMean } from '../../base/did-you-mean.ts';
import { type FileIdentity, identityIn } from '../../base/file-identity.ts';
import { systemReason } from '../../base/system-reason.ts';
import type { OnProgress } from '../../model/plugin.ts';
import { recallHash, rememberHash } from './hash-cache.ts';
import { type ErrorPlace, errnoOf, PluginError } from './plugin-error.ts';

/** A readable file on disk; the loader decides whether it is a library. */
interface LibraryFile {
  /** Absolute path as given, links not followed. */
  path: string;
  sizeBytes: number;
  identity: FileIdentity;
}

/** What may have been meant by the path of a file that is not there. */
const nearbyName = async (path: string): Promise<string | undefined> => {
  try {
    return didYouMean(basename(path), await readdir(dirname(path)));
  } catch (error) {
    return errnoOf(error) === 'ENOENT' ? `the directory ${shown(dirname(path))} does not exist either` : undefined;
  }
};

const SHOWN_UNITS = 200;

/** A path in a message: on one line, without the middle if it is too long for any file system. */
const shown = (path: string): string => {
  const line = path.replace(/[\x00-\x1f\x7f]/g, (unit) => JSON.stringify(unit).slice(1, -1));
  return line.length <= 2 * SHOWN_UNITS ? line : `${line.slice(0, SHOWN_UNITS)}…${line.slice(-SHOWN_UNITS)}`;
};

/** Whether there is a file, or a link to one. */
export const isFile = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isFile() ?? false;

/** Checks a library file. `place` begins the error message: the source of this path. */
export const checkLibraryFile = async (path: string, place: ErrorPlace): Promise<LibraryFile> => {
  try {
    const facts = await stat(path, { bigint: true });
    if (!facts.isFile()) {
      const kind = facts.isDirectory() ? 'a directory' : 'not a regular file';
      const what = `${shown(path)} is ${kind}, expected a shared library`;
      throw new PluginError('plugin-not-a-library', { ...place, what });
    }
    await access(path, constants.R_OK);
    return { path, sizeBytes: Number(facts.size), identity: identityIn(await realpath(path), facts) };
  } catch (error) {
    if (error instanceof PluginError) throw error;
    const errno = errnoOf(error);
    if (errno === 'ENOENT' || errno === 'ENOTDIR') {
      const advice = await nearbyName(path);
      throw new PluginError('plugin-not-found', { ...place, what: `no such file: ${shown(path)}`, advice });
    }
    if (errno === 'EACCES' || errno === 'EPERM') {
      const what = `${shown(path)} cannot be read: permission denied`;
      const advice = 'check the permissions of the file and its directories';
      throw new PluginError('plugin-unreadable', { ...place, what, advice });
    }
    throw new PluginError('plugin-unreadable', {
      ...place,
      what: `${shown(path)} cannot be read: ${systemReason(error)}`,
    });
  }
};

const HASH_CHUNK_BYTES = 4 << 20;

/** SHA-256 of a file, streamed. */
export const hashFile = async (path: string, sizeBytes: number, onProgress?: OnProgress): Promise<string> => {
  const hash = createHash('sha256');
  let doneBytes = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: HASH_CHUNK_BYTES })) {
    hash.update(chunk as Buffer);
    doneBytes += (chunk as Buffer).length;
    onProgress?.({ phase: 'hash', what: basename(path), doneBytes, totalBytes: sizeBytes });
  }
  return hash.digest('hex');
};

/** SHA-256 of a library, cached by real path, size, time and inode: a warm start reads one small file instead. */
export const libraryHash = async (file: LibraryFile, cacheDir: string, onProgress?: OnProgress): Promise<string> => {
  const remembered = await recallHash(cacheDir, file.identity);
  if (remembered !== undefined) return remembered;
  const sha256 = await hashFile(file.path, file.sizeBytes, onProgress);
  rememberHash(cacheDir, file.identity, sha256);
  return sha256;
};
