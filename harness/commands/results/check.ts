import type { SubmissionFault } from './faults.ts';
import { type Examined, type ExamineOptions, examine } from './submission.ts';
import { nameOf, submissionDirectories } from './submissions-directory.ts';

/**
 * Examines every submission in a directory.
 * @param shown the directory in messages
 * @param onStart called before each
 * @throws UsageError if there is none
 */
export async function checkResults(
  directory: string,
  shown: string,
  options: ExamineOptions = {},
  onStart: (name: string, index: number, count: number) => void = () => {},
): Promise<Examined[]> {
  const directories = submissionDirectories(directory, shown);
  const examined: Examined[] = [];
  for (const [index, one] of directories.entries()) {
    onStart(nameOf(one), index + 1, directories.length);
    examined.push(await examine(one, options));
  }
  return withoutCopies(examined);
}

/** Refuses submissions whose run is that of another. */
function withoutCopies(examined: readonly Examined[]): Examined[] {
  const first = new Map<string, string>();
  return examined.map(({ submission, ...rest }) => {
    if (!submission) return rest;
    const run = JSON.stringify([submission.header.startedAt, submission.run.footer?.seal?.sha256]);
    const known = first.get(run);
    first.set(run, known ?? nameOf(rest.directory));
    if (known === undefined) return { ...rest, submission };
    const fault: SubmissionFault = { kind: 'duplicate', message: `its run is that of ${known}` };
    return { ...rest, faults: [...rest.faults, fault] };
  });
}
