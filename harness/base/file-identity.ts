import { type BigIntStats, statSync } from 'node:fs';

/** What the system says of a version of a file, apart from its content. */
export interface FileIdentity {
  path: string;
  size: string;
  mtimeNs: string;
  /** Nobody can set it: a file that was written and got its old time back is seen. */
  ctimeNs: string;
  inode: string;
}

/** @param path without links */
export const identityIn = (path: string, { size, mtimeNs, ctimeNs, ino }: BigIntStats): FileIdentity => ({
  path,
  size: String(size),
  mtimeNs: String(mtimeNs),
  ctimeNs: String(ctimeNs),
  inode: String(ino),
});

/** Of the file that is there now; undefined if there is none. */
export function identityOf(path: string): FileIdentity | undefined {
  try {
    return identityIn(path, statSync(path, { bigint: true }));
  } catch {
    return undefined;
  }
}

export const isSameIdentity = (a: FileIdentity, b: FileIdentity): boolean =>
  a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs && a.inode === b.inode;
