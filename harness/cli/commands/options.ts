import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { suggestion } from '../../base/did-you-mean.ts';
import { packagePath } from '../../base/paths.ts';
import { textTable } from '../../base/text-table.ts';
import { DEFAULT_FORMATS, JUNIT_FLAVORS, REPORT_FORMATS } from '../../report/index.ts';
import { PROFILES } from '../../suite/profiles.ts';
import { EXIT_CODES, exitMeaning } from '../../verdict/exit-codes.ts';

/** Called by a command with its exit code if that is not 0. */
export type Done = (exitCode: number) => void;

/** Options and parsers shared by several commands. */

/** Plugin argument of commands about one plugin. */
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

/**
 * What follows the options in the help of a command: templates/help/NAME.txt, read when someone asks for it.
 * @param more what is at its end, and in place of `{{rules}}`
 */
export const helpOf =
  (name: string, { ending, rules }: { ending?: () => string; rules?: () => string } = {}) =>
  (): string =>
    `\n${helpText(name).replace('{{rules}}', rules?.() ?? '')}${ending?.() ?? ''}`;

/** A text of templates/help. */
export const helpText = (name: string): string => readFileSync(packagePath('templates', 'help', `${name}.txt`), 'utf8');

/** The table of exit codes, for the end of a help text. */
export const exitCodeHelp = (): string =>
  `\nExit codes:\n${textTable(
    EXIT_CODES.map(({ code }) => [String(code), exitMeaning(code)]),
    { indent: '  ' },
  ).join('\n')}\n`;

const SHARD_HELP =
  'only shard i of n; auto: the shard of this task, from the variables of Slurm, Kubernetes, GitLab and other schedulers (auto/8 where they do not say how many tasks there are); reports then go to shard-i-of-n below the output directory, and a requeued task resumes its log (docs/fleet.md)';

const DURATIONS_HELP =
  'balance the shards by the durations in this file, which `--report durations` of an earlier run wrote; all shards must use the same file (default: by a stable hash of the id)';

/** Options that select cases. */
export function withSelection(command: Command): Command {
  return command
    .optionsGroup('Which cases:')
    .option('--suites <path>', 'also read suites from this file or directory (repeatable)', collect)
    .option('--suite <id>', 'only this suite and those below it (repeatable)', collect)
    .option('--tests <glob>', 'only cases whose id matches (repeatable); brackets are literal', collect)
    .option('--tag <tag>', 'only cases with this tag (repeatable)', collect)
    .option('--requirement <id>', 'only cases that cover this requirement (repeatable)', collect)
    .option('--exclude <glob>', 'exclude cases whose id matches (repeatable)', collect)
    .option('--tests-from <file>', 'only the ids listed in this file, - for standard input')
    .option(
      '--mustpass <version>',
      'the cases of this frozen list, of the profile (docs/conformance-programme.md); for a run: in the way that submissions to the conformance programme demand',
    )
    .option('--shard <i/n>', SHARD_HELP)
    .option('--durations <file>', DURATIONS_HELP)
    .option(
      '--profile <name>',
      `named selection: ${profileHelp()}; or a framework release (jax@0.10.2, pytorch-xla@2.9, tensorflow): what it calls, as a consumer built against its API version; the run fails if the release does not work`,
    );
}

/** Options that select among cases that are not suites of this package. */
export function withIds(command: Command): Command {
  return command
    .optionsGroup('Which cases:')
    .option('--tests <glob>', 'only cases whose id matches (repeatable); brackets are literal', collect)
    .option('--exclude <glob>', 'exclude cases whose id matches (repeatable)', collect)
    .option('--tests-from <file>', 'only the ids listed in this file, - for standard input')
    .option('--shard <i/n>', SHARD_HELP)
    .option('--durations <file>', DURATIONS_HELP);
}

/** Options that select reports and their paths. */
export function withReports(command: Command): Command {
  return command
    .optionsGroup('Reports:')
    .option('--report <format[=file]>', `also write this report: ${formatHelp()} (repeatable)`, collect)
    .option('--junit <file>', 'path of the JUnit report')
    .addOption(
      new Option(
        '--junit-flavor <flavor>',
        'strict: valid for the Jenkins xUnit plugin (default); common: also file, line and properties of each case',
      ).choices(JUNIT_FLAVORS),
    )
    .option('--json <file>', 'path of the JSON report')
    .option('--junit-hostname <name>', 'host name in the reports, for reproducible output')
    .option('--no-github', 'write no job summary and no annotations in a GitHub workflow');
}

/** In which kind of process the plugin is loaded. */
export const withHost = (command: Command): Command =>
  command.addOption(
    new Option(
      '--host <process>',
      'load the plugin in a process with a Python interpreter, as JAX does, or in one of Node.js alone (default: python for plugins that call functions of Python and start none, or whose manifest says `python: true`)',
    ).choices(['python', 'node']),
  );

/** Options about devices that several processes cannot use at once. */
export function withDevices(command: Command): Command {
  return command
    .optionsGroup('Devices (docs/device-farms.md):')
    .option(
      '--exclusive',
      'wait until no other exclusive run on this machine uses the devices; always so for plugins whose manifest says `serial: true`',
    )
    .option(
      '--wait-device <time>',
      'how long to wait for devices that another run uses (default: as long as it takes; 0: do not wait); then the exit code is 3',
      milliseconds,
    );
}

/** Options about expectations. */
export function withExpectations(command: Command): Command {
  return command
    .optionsGroup('Expectations:')
    .option(
      '--expectations <file>',
      'YAML file of expected failures, with reason and expiry (repeatable); they do not fail the run',
      collect,
    )
    .option(
      '--strict-expectations',
      'unexpected passes and stale entries (expired, without a case, or without a reason) fail the run too',
    )
    .option('--update-expectations', 'update the --expectations file so that this run would have passed');
}

/** Options about console output. */
export function withConsole(command: Command, verbose = 'one line per case'): Command {
  return command
    .optionsGroup('Output:')
    .addOption(new Option('--quiet', 'only failures and the verdict').conflicts('verbose'))
    .option('--verbose', verbose)
    .option('--color', 'use colors even if the output is not a terminal')
    .option('--no-color', 'use no colors');
}

const formatHelp = (): string =>
  REPORT_FORMATS.filter(({ name }) => !DEFAULT_FORMATS.includes(name))
    .map(({ name, description }) => `${name} (${description})`)
    .join(', ');

/** The accuracy that is asked of rounded results where two plugins are compared. */
export const numerics = (): Option =>
  new Option(
    '--numerics <profile>',
    "errors that rounded results may have (default: the manifest's, otherwise standard)",
  ).choices(['strict', 'standard', 'relaxed']);

/** Deadline options. */
export function withDeadlines(command: Command): Command {
  command
    .optionsGroup('Deadlines (a suite or manifest may set longer ones):')
    .addOption(
      new Option(
        '--timeout <deadlines>',
        `case=30s,client=25m (repeatable): ${DEADLINES.map(({ what, help }) => `\`${what}\` ${help}`).join('; ')}`,
      ).argParser(deadlinesIn),
    )
    .on('option:timeout', (text: string) => {
      for (const { option, ms } of deadlinesIn(text)) command.setOptionValueWithSource(option, ms, 'cli');
      // It stands for the others, and is no option of a run.
      command.setOptionValueWithSource('timeout', undefined, undefined);
    });
  for (const { flag, help } of DEADLINES) {
    command.addOption(new Option(`${flag} <time>`, `deadline for ${help}`).argParser(milliseconds).hideHelp());
  }
  return command;
}

/** What `--timeout` can limit; each was an option of its own, which is still accepted. */
const DEADLINES = (
  [
    ['case', 'one case (120s); without `call`, also each call in it'],
    ['call', 'one native call (60s)'],
    [
      'first',
      'calls that use the device, until the first success in the process, because the first call may compile kernels (5m, or 5 times a shorter `call`)',
    ],
    ['client', 'initialization and client creation (5m)'],
    ['load', 'loading the library (60s)'],
    ['exit', 'worker shutdown (20s)'],
  ] as const
).map(([what, help]) => ({ what, help, flag: `--timeout-${what}` }));

/** Parser of `--timeout`: the options for which it stands, with their values. */
function deadlinesIn(text: string): { option: string; ms: number }[] {
  return text.split(',').map((part) => {
    const [, what = '', time = ''] = /^([^=]*)=(.*)$/s.exec(part.trim()) ?? [];
    const names = DEADLINES.map((one) => one.what);
    if (!names.some((name) => name === what)) {
      const hint = suggestion(what, names);
      throw new InvalidArgumentError(`It must be case=30s,client=25m: a time for ${names.join(', ')}${hint}.`);
    }
    return { option: `timeout${what[0]!.toUpperCase()}${what.slice(1)}`, ms: milliseconds(time) };
  });
}

/** A seed. */
export const seed = (value: string): number => {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError('It must be a whole number of up to nine digits.');
  return Number(value);
};
