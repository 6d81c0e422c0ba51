import { createWriteStream, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { makeDirectory } from '../../base/make-directory.ts';
import { systemReason } from '../../base/system-reason.ts';
import { WriteFileError } from '../../report/index.ts';

/** A file to be packed: its name in the archive, and its contents or its path. */
interface ZipSource {
  path: string;
  from: string | Buffer;
}

/** The earliest time that the format can represent, in any time zone: times must not differ between bundles. */
const NO_TIME = new Date(1980, 0, 1);

/** Writes an archive atomically; the same sources give the same bytes. @throws WriteFileError */
export async function writeZip(target: string, sources: readonly ZipSource[]): Promise<void> {
  const there = statSync(target, { throwIfNoEntry: false });
  // A rename over /dev/null would replace it.
  if (there && !there.isFile())
    throw new WriteFileError(`${target}: it is not a file; choose another name for the bundle`);
  const temporary = `${target}.${process.pid}.tmp`;
  const options = { mtime: NO_TIME, mode: 0o100644, forceDosTimestamp: true };
  const zip = new ZipFile();
  try {
    makeDirectory(dirname(target));
    const failed = new Promise<never>((_, reject) => zip.on('error', reject));
    for (const { path, from } of sources) {
      if (typeof from === 'string') zip.addFile(from, path, options);
      else zip.addBuffer(from, path, options);
    }
    zip.end();
    await Promise.race([failed, pipeline(zip.outputStream, createWriteStream(temporary))]);
    renameSync(temporary, target);
  } catch (cause) {
    rmSync(temporary, { force: true });
    throw new WriteFileError(`${target}: the bundle cannot be written: ${systemReason(cause)}`, { cause });
  }
}
