import { EXIT_CODES, exitCode } from '../../harness/verdict/exit-codes.ts';
import type { Told } from './command.ts';

/** A message longer than this helps nobody. */
const MAX_MESSAGE = 200_000;

/** What is wrong with an answer to an input: it must be an exit code of the table and, for bad input, say where. */
export function faultOf({ exitCode: code, stdout, stderr }: Told, file: string): string | undefined {
  if (stderr.includes('the harness failed')) return `an exception that nobody foresaw: ${firstLines(stderr)}`;
  if (!EXIT_CODES.some((entry) => entry.code === code)) return `exit code ${code} is not in the table`;
  const control = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/.exec(stdout + stderr);
  if (control) return `a control character in the output: ${JSON.stringify(aroundOf(stdout + stderr, control.index))}`;
  if (code !== exitCode('usage')) return undefined;
  // What `validate` finds is its result.
  const message = stderr.trim() === '' ? stdout : stderr;
  if (message.trim() === '') return 'refused without a word';
  if (message.length > MAX_MESSAGE) return `a message of ${message.length} characters`;
  if (!message.includes(file)) return `does not name the file: ${firstLines(message)}`;
  return isLocated(message, file) ? undefined : `does not say where in the file: ${firstLines(message)}`;
}

/** What is wrong with a file as a whole has no line in it. */
const ABOUT_THE_WHOLE =
  /cannot be read|no such file|is a (?:folder|directory|device)|not a file|has \d+ bytes|has more than|no case is in both|has no (?:library|events\.jsonl)|no suite|(?:not|nor) a JSON report/;

/** `file:line`; `file: ` is enough of a file as a whole, and of one that has no lines. */
function isLocated(text: string, file: string): boolean {
  if (/\.(?:json|zip)$/.test(file) || ABOUT_THE_WHOLE.test(text)) return text.includes(`${file}:`);
  return new RegExp(`${file.replaceAll('.', '\\.')}:\\d`).test(text);
}

const firstLines = (text: string): string => text.split('\n').slice(0, 4).join('\n').slice(0, 1500);

const aroundOf = (text: string, at: number): string => text.slice(Math.max(0, at - 60), at + 20);
