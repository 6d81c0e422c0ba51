import { type Command, InvalidArgumentError, Option } from 'commander';
import { DEFAULT_FORMATS, JUNIT_FLAVORS, REPORT_FORMATS } from '../../report/index.ts';
import { PROFILES } from '../../suite/profiles.ts';
import { EXIT_CODES } from '../../verdict/exit-codes.ts';

/** Options and parsers that several commands share. */

/** What commands about one plugin take. */
export const PLUGIN_ARGUMENT =
  'path of a shared library, a known name, or a manifest (default: the first `plugin` of the configuration)';

/** Parser of a repeatable option. */
export const collect = (value: string, previous: string[] | undefined): string[] => [...(previous ?? []), value];

/** A whole number, 1 or more. */
export const wholeNumber = (value: string): number => {
  if (!/^[1-9]\d*$/.test(value)) throw new InvalidArgumentError('It must be a whole number, 1 or more.');
  return Number(value);
};

/** `90s`, `1.5m`, `500ms`, or seconds without a unit. */
export const milliseconds = (value: string): number => {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(value);
  if (!match) throw new InvalidArgumentError('It must be a time such as 500ms, 90s or 2m.');
  return Math.round(Number(match[1]) * { ms: 1, s: 1000, m: 60_000 }[match[2] ?? 's']!);
};

const profileHelp = (): string =>
  Object.entries(PROFILES)
    .map(([name, { description }]) => `${name} (${description})`)
    .join(', ');

/** The table of exit codes, for the end of a help text. */
export const exitCodeHelp = (): string =>
  `\nExit codes:\n${EXIT_CODES.map(({ code, meaning }) => `  ${String(code).padEnd(4)} ${meaning}`).join('\n')}\n`;

/** Options that pick cases. */
export function withSelection(command: Command): Command {
  return command
    .optionsGroup('Which cases:')
    .option('--suites <path>', 'also read suites from this file or folder (repeatable)', collect)
    .option('--suite <id>', 'only this suite, or all below it (repeatable)', collect)
    .option('--tests <glob>', 'only cases whose id matches (repeatable); brackets are plain characters', collect)
    .option('--tag <tag>', 'only cases with this tag (repeatable)', collect)
    .option('--requirement <id>', 'only cases that cover this requirement (repeatable)', collect)
    .option('--exclude <glob>', 'leave out cases whose id matches (repeatable)', collect)
    .option('--tests-from <file>', 'only the ids listed in this file, - for standard input')
    .option('--shard <i/n>', 'only part i of n, by a stable hash of the id')
    .option(
      '--profile <name>',
      `named selection: ${profileHelp()}; or a release (jax@0.10.2, pytorch-xla@2.9, tensorflow): what it calls, as a caller of its API version; the run fails when the release does not work`,
    );
}

/** Options that say which reports are written, and where. */
export function withReports(command: Command): Command {
  return command
    .optionsGroup('Reports:')
    .option('--report <format[=file]>', `write this report too: ${formatHelp()} (repeatable)`, collect)
    .option('--junit <file>', 'path of the JUnit report')
    .addOption(
      new Option(
        '--junit-flavor <flavor>',
        'strict: as the Jenkins xUnit plugin checks it (default); common: also file, line and properties of each case',
      ).choices(JUNIT_FLAVORS),
    )
    .option('--json <file>', 'path of the JSON report')
    .option('--junit-hostname <name>', 'host name in the reports, for output that is the same everywhere')
    .option('--no-github', 'no job summary and no annotations in a GitHub workflow');
}

/** Options about what is expected to fail. */
export function withExpectations(command: Command): Command {
  return command
    .optionsGroup('Expectations:')
    .option(
      '--expectations <file>',
      'what is expected to fail, why, and until when: a YAML file (repeatable); what it expects does not fail the run',
      collect,
    )
    .option(
      '--strict-expectations',
      'an unexpected pass, and an entry that has expired or fits no case, fail the run too',
    )
    .option('--update-expectations', 'write the --expectations file with which this run would not have failed');
}

/** Options of what is printed. */
export function withConsole(command: Command, verbose = 'a line a case'): Command {
  return command
    .optionsGroup('Output:')
    .addOption(new Option('--quiet', 'failures and the verdict only').conflicts('verbose'))
    .option('--verbose', verbose)
    .option('--color', 'colours, also when the output is no terminal')
    .option('--no-color', 'no colours');
}

const formatHelp = (): string =>
  REPORT_FORMATS.filter(({ name }) => !DEFAULT_FORMATS.includes(name))
    .map(({ name, description }) => `${name} (${description})`)
    .join(', ');

/** Options that say how long a plugin may take. */
export function withDeadlines(command: Command): Command {
  return command
    .optionsGroup('Deadlines (a suite or manifest that asks for a longer one gets it):')
    .option(
      '--timeout-case <time>',
      'deadline of one case (120s); without --timeout-call also of the calls in it',
      milliseconds,
    )
    .option('--timeout-call <time>', 'deadline of one native call (60s)', milliseconds)
    .option(
      '--timeout-first <time>',
      'deadline of calls that put the device to work, until the first in a process has succeeded: it may compile what it needs (5 times that of a call)',
      milliseconds,
    )
    .option('--timeout-client <time>', 'deadline of initialization and client creation (5m)', milliseconds)
    .option('--timeout-load <time>', 'deadline of loading the library (60s)', milliseconds)
    .option('--timeout-exit <time>', 'deadline of the end of a worker (20s)', milliseconds);
}
