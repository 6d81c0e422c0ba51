import { closeSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeDirectory } from '../../base/make-directory.ts';
import { systemReason } from '../../base/system-reason.ts';
import type { Event } from '../../model/events.ts';
import type { Run } from '../../model/run.ts';
import { WriteFileError } from '../../report/index.ts';
import { outcomeStream } from '../../report/outcomes.ts';

/** The file of `--outcomes` while the run goes on. */
export interface OutcomeFile {
  event(event: Event): void;
  close(): void;
}

/** Opens the file of `--outcomes`, empty. Each line is written at once, because a reader waits for it. @throws WriteFileError */
export function openOutcomes(path: string, run: Run): OutcomeFile {
  let fd: number;
  try {
    makeDirectory(dirname(path));
    fd = openSync(path, 'w');
  } catch (cause) {
    throw new WriteFileError(`${path}: it cannot be written: ${systemReason(cause)}`, { cause });
  }
  let open = true;
  const close = (): void => {
    if (open) closeSync(fd);
    open = false;
  };
  const event = outcomeStream(run, (text) => {
    const bytes = Buffer.from(text, 'utf8');
    try {
      for (let at = 0; open && at < bytes.length; ) at += writeSync(fd, bytes, at);
    } catch {
      // Its reader is gone or the disk is full; the log and the reports matter more.
      close();
    }
  });
  return { event, close };
}
