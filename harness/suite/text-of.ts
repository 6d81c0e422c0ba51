import { systemReason } from '../base/system-reason.ts';
import { readTextFile } from '../base/text-file.ts';
import { fileProblem, SuiteError, type SuiteProblem } from './problem.ts';

/**
 * The text of a file of the user.
 * @param file as the user names it @param more about the file, if it cannot be read
 * @throws SuiteError
 */
export function textOf(path: string, file: string, more?: Partial<SuiteProblem>): string {
  try {
    return readTextFile(path);
  } catch (error) {
    throw new SuiteError([fileProblem(file, `cannot be read: ${systemReason(error)}`, more)]);
  }
}
