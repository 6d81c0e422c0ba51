import { EXIT_CODES, exitCode } from '../../harness/verdict/exit-codes.ts';
import type { CommandOutput } from '../command-line/command.ts';

/** Maximum length of a useful message. */
const MAX_MESSAGE = 200_000;

/**
 * What is wrong with an answer to an input: it must be an exit code of the table and, for invalid input, every problem must
 * have a location.
 */
export function faultOf({ exitCode: code, stdout, stderr }: CommandOutput, file: string): string | undefined {
  if (stderr.includes('the harness failed')) return `an exception that nobody foresaw: ${firstLines(stderr)}`;
  if (STACK.test(stderr)) return `a stack trace: ${firstLines(stderr)}`;
  if (!EXIT_CODES.some((entry) => entry.code === code)) return `exit code ${code} is not in the table`;
  const control = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/.exec(stdout + stderr);
  if (control) return `a control character in the output: ${JSON.stringify(aroundOf(stdout + stderr, control.index))}`;
  if (code !== exitCode('usage')) return undefined;
  // Findings of `validate` are its result.
  const isResult = stderr.trim() === '';
  const message = isResult ? stdout : stderr;
  if (message.trim() === '') return 'refused without a word';
  if (message.length > MAX_MESSAGE) return `a message of ${message.length} characters`;
  const place = placeIn(file);
  // A problem begins a line; indented lines belong to the problem above.
  const problems = message.split('\n').filter((line) => /^\S/.test(line) && !isNote(line));
  // An error about an option or its path is preceded by the option and its location.
  const options = [...message.matchAll(/^(--[a-z-]+)(?: (\S+))? comes from (.*)$/gm)].flatMap(
    ([, option, path, where]) =>
      place.test(where!) ? (path === undefined ? [`${option}:`, `${option} `] : [`${path}: `]) : [],
  );
  const lost = problems.find((line) => !place.test(line) && !options.some((option) => line.includes(option)));
  if (lost === undefined || (isResult && lost !== problems[0])) return undefined;
  const what = lost.includes(file) ? 'say where in the file' : 'name the file';
  return `does not ${what}: ${firstLines(lost === problems[0] ? message : `${lost}\nin ${message}`)}`;
}

const STACK = /^ {4}at .*:\d+:\d+\)?$/m;

/** Lines that are not problems: what was taken from the configuration, and how much was omitted. */
const isNote = (line: string): boolean =>
  /^(?:config \S+: |note: |warning: |--\S+ (?:\S+ )?comes from |… \d+ more lines)/.test(line);

/** Beginnings of messages about a whole file, which have no line; `…` varies. They follow the name of the file. */
export const ABOUT_THE_WHOLE = [
  'cannot be read: ',
  '… cannot be read: ',
  'the policy cannot be read: ',
  'the event log cannot be read: ',
  'build.directory: cannot be read: ',
  'no such file',
  'there is no such file',
  'it is not a regular file',
  'there is no events.jsonl in this directory',
  'is a …, expected a ',
  'is a directory, expected a ',
  '… is a directory',
  '… is …, expected a shared library',
  '… is empty, expected a shared library',
  'has … bytes, ',
  'a line has more than … bytes',
  'no suite found',
  'it contains no id',
  // JSON reports.
  'not a JSON report of a run: ',
  'the report was made from a log without a header',
  // Archives.
  'not a readable bundle: ',
  'there is no manifest.json in it',
  'its manifest.json is not JSON: ',
  'a bundle of version ',
  '…: a log of version ',
  // Recordings, whose files are binary.
  'at byte ',
  'is no file; ',
  // Manifests that lead to no library.
  '…: this manifest has no library',
  // Runs that do not match each other, or what is here now.
  'the run is unfinished',
  'the runs have no case in common',
  'the runs are of different platforms: ',
  'it is the only run',
  'it has no case in common with this run',
  'the logs are not shards of one run:',
  'the logs are not the whole run:',
  'the run was started with version ',
  'the run was started in ',
  'this log does not record how the run was started',
  'the plugin or the suites have changed since the run',
  'a suite of the run is missing, and',
  'files that the run used have changed:',
  'the directory has no events.jsonl and no report.json',
];

const anyOf = (texts: readonly string[]): string =>
  texts.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '[^"\\n]+?')).join('|');

/**
 * Begins with `file:line`, or with `file: ` and a message about the whole file. The option that named the file may precede
 * it, and other files may be beside it.
 */
function placeIn(file: string): RegExp {
  const name = `(?:[^\\s:]*/)?${file.replaceAll('.', '\\.')}`;
  const names = `(?:[^\\s:]+(?:, | \\+ ))*${name}(?:(?:, | \\+ )[^\\s:]+)*`;
  return new RegExp(
    `^(?:error: )?(?:--[a-z-]+ |manifest |bundle |report )?${names}:(?:\\d|\\s(?:${anyOf(ABOUT_THE_WHOLE)}))`,
  );
}

const firstLines = (text: string): string => text.split('\n').slice(0, 4).join('\n').slice(0, 1500);

const aroundOf = (text: string, at: number): string => text.slice(Math.max(0, at - 60), at + 20);
