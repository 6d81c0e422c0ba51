/** In place of the words of the system. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'a part of its path is a file, not a directory',
  EACCES: 'permission denied',
  EPERM: 'the operation is not permitted',
  EEXIST: 'there is a file of that name',
  EISDIR: 'it is a directory, not a file',
  ELOOP: 'it is a link that leads to itself',
  ENAMETOOLONG: 'the name is too long',
  ENOSPC: 'no space is left on the device',
  EPIPE: 'its reader has gone',
  EROFS: 'the file system is read-only',
  EMFILE: 'too many files are open',
};

/** The same where a directory is meant. */
const OF_DIRECTORIES: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such directory',
  ENOTDIR: 'it is not a directory',
};

const ON_DIRECTORIES = ['mkdir', 'mkdtemp', 'scandir', 'opendir', 'rmdir'];

/** Whether a call of the system failed, such as one of the file system. */
export const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && 'syscall' in error;

/**
 * Why something failed, to continue a sentence such as `X cannot be read: `: plain words for what the system reports, without
 * its name of the error, the call and the path, which Node adds; the message of any other error.
 */
export function systemReason(error: unknown): string {
  if (!isSystemError(error)) return error instanceof Error ? error.message : String(error);
  const { code = '', syscall = '', message } = error;
  const words = (ON_DIRECTORIES.includes(syscall) ? OF_DIRECTORIES[code] : undefined) ?? REASONS[code];
  return words ?? message.replace(/^[A-Z0-9]+: /, '').replace(/, \w+( '.*)?$/s, '');
}
