import { Command, InvalidArgumentError, Option } from 'commander';
import { cacheDirOf } from '../plugins/cache.ts';
import { discover, formatDiscovery, formatDiscoveryJson } from '../plugins/discover.ts';
import { DEFAULT_FORMATS, REPORT_FORMATS } from '../report/index.ts';
import { coverage, coverageJson, coverageMarkdown, formatCoverage } from '../suite/coverage.ts';
import { listCases } from '../suite/list-cases.ts';
import { PROFILES } from '../suite/profiles.ts';
import { EXIT_CODES, exitCode } from '../verdict/exit-codes.ts';
import { parseCaller } from './caller.ts';
import type { CompatOptions } from './compat.ts';
import type { DoctorOptions } from './doctor.ts';
import type { InspectOptions } from './inspect.ts';
import { loadAllSuites, suitePaths } from './load-suites.ts';
import type { ReportOptions } from './report.ts';
import { type RunOptions, run } from './run.ts';
import { type SelectionOptions, selectedCases } from './selection.ts';
import type { Surroundings } from './surroundings.ts';
import { UsageError } from './usage-error.ts';
import { TOOL } from './version.ts';

const collect = (value: string, previous: string[] | undefined): string[] => [...(previous ?? []), value];

const wholeNumber = (value: string): number => {
  if (!/^[1-9]\d*$/.test(value)) throw new InvalidArgumentError('It must be a whole number, 1 or more.');
  return Number(value);
};

/** `90s`, `1.5m`, `500ms`, or seconds without a unit. */
const milliseconds = (value: string): number => {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(value);
  if (!match) throw new InvalidArgumentError('It must be a time such as 500ms, 90s or 2m.');
  return Math.round(Number(match[1]) * { ms: 1, s: 1000, m: 60_000 }[match[2] ?? 's']!);
};

const profileHelp = (): string =>
  Object.entries(PROFILES)
    .map(([name, { description }]) => `${name} (${description})`)
    .join(', ');

const exitCodeHelp = (): string =>
  `\nExit codes:\n${EXIT_CODES.map(({ code, meaning }) => `  ${String(code).padEnd(4)} ${meaning}`).join('\n')}\n`;

const EXAMPLES = `
Examples:
  $ pjrt-conformance --plugin ./pjrt-plugin-foo.so
  $ pjrt-conformance --plugin xla-cpu --suite execute --junit junit.xml
  $ pjrt-conformance --plugin ./foo.so --option num_devices=2 --tests 'client/*'
  $ pjrt-conformance --plugin libtpu --profile no-device
  $ pjrt-conformance --plugin ./foo.so --profile jax@0.10.2          # gate: fails when that JAX does not work with it
  $ pjrt-conformance compat ./foo.so                                 # which releases of JAX, PyTorch/XLA, TensorFlow work
  $ pjrt-conformance --plugin ./foo.so --shard 1/4 --events part1.jsonl   # … then: report part*.jsonl
  $ pjrt-conformance list --requirement BUF-HOST-009
`;

const COMPAT_HELP = `
Calls every function of the plugin with sound arguments, goes through a session (client, transfer, compilation,
execution, error) as a caller of each release's API version, and compares what it sees with what is known of the releases.

Examples:
  $ pjrt-conformance compat ./pjrt-plugin-foo.so                            # a table over all releases
  $ pjrt-conformance compat ./pjrt-plugin-foo.so --framework jax@0.10.2     # will it work? every reason; exit code 0 or 1
  $ pjrt-conformance compat ./pjrt-plugin-foo.so --framework jax && deploy  # the newest JAX that is known
  $ pjrt-conformance compat ./pjrt-plugin-foo.so --format markdown > compatibility.md
  $ pjrt-conformance compat --needs jax@0.12.0                              # what must a plugin have? (no plugin needed)

Exit codes:
  0    the table was made; with --framework: the release works, perhaps with limits
  1    with --framework: the release refuses the plugin, or aborts
  2    wrong options
  3    the plugin could not be loaded; with --framework also: nothing is wrong, but it gives no client here (no device?)
  5    with --framework: it could not be found out
  130  stopped by a signal
`;

const INSPECT_HELP = `
The file is read without being loaded; then a worker process loads the plugin and asks what needs no client. When it
cannot be loaded, what the file says is shown all the same; \`doctor\` looks for the cause.

Examples:
  $ pjrt-conformance inspect ./pjrt-plugin-foo.so
  $ pjrt-conformance inspect xla-cpu --format json | jq .loaded.apiVersion
  $ pjrt-conformance inspect ./foo.so --format json | jq '.file.elf.newestVersions'

Exit codes:
  0    It was loaded and inspected.
  2    Wrong usage, or no such file.
  3    It could not be loaded; what its file says was shown.
`;

const DOCTOR_HELP = `
Looks at the file, at the libraries, versions and symbols that it needs, at device nodes, lock files and variables that
are known to matter, and then has a worker process load the plugin and create a client. ✗ may be the cause, ! may matter,
· is good to know, ✓ is in order. The last line is the verdict.

Examples:
  $ pjrt-conformance doctor ./pjrt-plugin-foo.so
  $ pjrt-conformance doctor ./foo.so --option visible_devices=0,1
  $ pjrt-conformance doctor xla-cuda13 --format json | jq -r '.findings[0] | .what, .next'

Exit codes:
  0    It loads and creates a client.
  2    Wrong usage.
  3    It does not; the most likely cause is the first finding.
`;

function withSelection(command: Command): Command {
  return command
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

function withReports(command: Command): Command {
  return command
    .option('--report <format[=file]>', `write this report too: ${formatHelp()} (repeatable)`, collect)
    .option('--junit <file>', 'path of the JUnit report')
    .option('--json <file>', 'path of the JSON report')
    .option('--junit-hostname <name>', 'host name in the reports, for output that is the same everywhere')
    .option('--no-github', 'no job summary and no annotations in a GitHub workflow');
}

const formatHelp = (): string =>
  REPORT_FORMATS.filter(({ name }) => !DEFAULT_FORMATS.includes(name))
    .map(({ name, description }) => `${name} (${description})`)
    .join(', ');

/**
 * Parses the command line and runs the command.
 * @returns the exit code
 */
export async function createProgram(around: Surroundings): Promise<number> {
  let code = 0;
  const program = new Command(TOOL.name)
    .description(
      'Conformance tests for any PJRT plugin: loads it, runs the suites, survives it, writes a JUnit report.',
    )
    .version(TOOL.version)
    .exitOverride()
    .configureOutput({ writeOut: (s) => around.stdout.write(s), writeErr: (s) => around.stderr.write(s) })
    .showSuggestionAfterError()
    .showHelpAfterError('(--help shows all options)')
    .addHelpText('after', EXAMPLES + exitCodeHelp());

  withReports(
    withSelection(
      program
        .command('run', { isDefault: true })
        .description('run the suites against a plugin (the default command)')
        .requiredOption(
          '--plugin <plugin>',
          'path of a shared library, a known name (see discover), or a JSON/YAML manifest; a second one is loaded into the same process',
          collect,
        )
        .option(
          '--option <name=value>',
          'create option for the (first) plugin (repeatable); name:type=value sets the type',
          collect,
        )
        .option(
          '--workers <n>',
          'worker processes (default: by cores; 1 for plugins that allow one process only)',
          wholeNumber,
        ),
    ),
  )
    .option('--output <folder>', 'where the reports go (default: reports/<plugin>)')
    .option('--events <file>', 'path of the event log, the source of all reports')
    .option('--timeout-call <time>', 'deadline of one native call (60s)', milliseconds)
    .option('--timeout-case <time>', 'deadline of one case (120s)', milliseconds)
    .option('--timeout-client <time>', 'deadline of load, initialization and client creation (5m)', milliseconds)
    .option('--timeout-exit <time>', 'deadline of the end of a worker (20s)', milliseconds)
    .addOption(new Option('--binding <how>', 'how symbols are bound at load').choices(['now', 'lazy']).default('now'))
    .addOption(
      new Option(
        '--as-api <version>',
        'talk to the plugin as a caller of that API version (0.67): its struct sizes, functions and enum values; `newer`: longer structs and unknown extensions, as a future framework would',
      ).argParser(parseCaller),
    )
    .option('--strict', 'a broken SHOULD fails the run too')
    .option('--accept-known', "failures listed as known deviations in the plugin's manifest do not fail the run")
    .option('--max-failures <n>', 'stop after so many cases that fail the run', wholeNumber)
    .option('--no-fetch', 'never download a known plugin')
    .option('--quiet', 'failures and the verdict only')
    .option('--verbose', 'a line a case')
    .option('--color', 'colours, also when the output is no terminal')
    .option('--no-color', 'no colours')
    .addHelpText('after', exitCodeHelp())
    .action(async (options: RunOptions & { color?: boolean }) => {
      code = await run(options, around);
    });

  withReports(
    program
      .command('report')
      .description('write the reports of a log again, or one report of the logs of a sharded run')
      .argument('<logs...>', 'event logs (events.jsonl); several are merged')
      .option('--output <folder>', 'where the reports go (default: beside the log; reports/merged for several)')
      .option('--events <file>', 'path of the merged log'),
  )
    .option('--strict', 'as if the run had been strict')
    .option('--accept-known', 'as if known deviations had been accepted')
    .option('--quiet', 'failures and the verdict only')
    .option('--verbose', 'a line a case')
    .option('--color', 'colours, also when the output is no terminal')
    .option('--no-color', 'no colours')
    .addHelpText('after', exitCodeHelp())
    .action(async (logs: string[], options: ReportOptions) => {
      const { report } = await import('./report.ts');
      code = await report(logs, options, around);
    });

  withSelection(program.command('list').description('list the cases that a selection means; needs no plugin'))
    .addOption(new Option('--format <format>', 'output').choices(['text', 'ids', 'json']).default('text'))
    .action(async (options: SelectionOptions & { format: 'text' | 'ids' | 'json' }) => {
      around.stdout.write(listCases((await selectedCases(options)).cases, options.format));
    });

  program
    .command('validate')
    .description('check suite files: schema, references, ids, names; all problems with file:line:column')
    .argument('[paths...]', 'files or folders (default: the suites of the package)')
    .action(async (paths: string[]) => {
      const { formatValidation, validateSuites } = await import('../suite/validate.ts');
      const { vocabulary } = await import('./vocabulary.ts');
      const result = validateSuites(paths.length > 0 ? paths : suitePaths(), vocabulary());
      around.stdout.write(formatValidation(result));
      code = result.problems.length > 0 ? exitCode('usage') : 0;
    });

  program
    .command('coverage')
    .description('which requirements have cases and which have none yet')
    .option('--suites <path>', 'also read suites from this file or folder (repeatable)', collect)
    .addOption(new Option('--format <format>', 'output').choices(['text', 'json', 'markdown']).default('text'))
    .action(async (options: { suites?: string[]; format: 'text' | 'json' | 'markdown' }) => {
      const { loadRequirements } = await import('../suite/requirements.ts');
      const cases = (await loadAllSuites(options.suites)).flatMap((suite) => suite.cases);
      const matrix = coverage(cases, loadRequirements());
      const format = { text: formatCoverage, json: coverageJson, markdown: coverageMarkdown }[options.format];
      around.stdout.write(format(matrix));
    });

  program
    .command('compat')
    .description('which releases of JAX, PyTorch/XLA and TensorFlow work with a plugin, and why others do not')
    .argument('[plugin]', 'path of a shared library, a known name, or a manifest; not with --needs')
    .option(
      '--needs <name@version>',
      'what a plugin must have for a release, as a list to work through, ordered by what breaks first; needs no plugin',
    )
    .option(
      '--framework <name@version>',
      'one release with every reason: jax@0.10.2, jax@0.10 (its newest patch), jax (the newest known), pytorch-xla@2.9, tensorflow@2.21',
    )
    .option('--option <name=value>', 'create option for the plugin (repeatable)', collect)
    .option('--no-fetch', 'never download a known plugin')
    .addOption(
      new Option('--compatibility <value>', 'as if ENABLE_PJRT_COMPATIBILITY were set').choices(['true', 'false']),
    )
    .addOption(new Option('--format <format>', 'output').choices(['text', 'json', 'markdown']).default('text'))
    .addHelpText('after', COMPAT_HELP)
    .action(async (plugin: string | undefined, options: Omit<CompatOptions, 'plugin'> & { needs?: string }) => {
      const { compat, compatNeeds } = await import('./compat.ts');
      if (options.needs !== undefined) {
        if (plugin !== undefined || options.framework !== undefined) {
          throw new UsageError(
            `--needs ${options.needs} is asked without a plugin; to try one: compat ${plugin ?? '<plugin>'} --framework ${options.needs}`,
          );
        }
        around.stdout.write(compatNeeds(options.needs, options.format));
        return;
      }
      if (plugin === undefined) {
        throw new UsageError(
          'compat needs a plugin (compat ./pjrt-plugin-foo.so), or --needs and a release (--needs jax)',
        );
      }
      code = await compat({ ...options, plugin: [plugin], binding: 'lazy' }, around);
    });

  program
    .command('inspect')
    .description('what a plugin is, on one screen: file, libraries, symbols, API version, extensions, attributes')
    .argument('<plugin>', 'path of a shared library, a known name, or a manifest')
    .option('--timeout <time>', 'deadline of loading and initializing it (10s)', milliseconds)
    .option('--no-fetch', 'never download a known plugin')
    .addOption(new Option('--format <format>', 'output').choices(['text', 'json']).default('text'))
    .addHelpText('after', INSPECT_HELP)
    .action(async (plugin: string, options: InspectOptions) => {
      const { inspect } = await import('./inspect.ts');
      code = await inspect(plugin, options, around);
    });

  program
    .command('doctor')
    .description(
      'why a plugin does not load or creates no client: what was seen and what to do, most likely cause first',
    )
    .argument('<plugin>', 'path of a shared library, a known name, or a manifest')
    .option('--option <name=value>', 'create option for the plugin (repeatable)', collect)
    .option(
      '--timeout <time>',
      "deadline of load, initialization and client creation (the manifest's, or 60s)",
      milliseconds,
    )
    .addOption(new Option('--binding <how>', 'how symbols are bound at load').choices(['now', 'lazy']).default('lazy'))
    .option('--no-fetch', 'never download a known plugin')
    .addOption(new Option('--format <format>', 'output').choices(['text', 'json']).default('text'))
    .addHelpText('after', DOCTOR_HELP)
    .action(async (plugin: string, options: DoctorOptions) => {
      const { doctor } = await import('./doctor.ts');
      code = await doctor(plugin, options, around);
    });

  program
    .command('discover')
    .description('list the plugins that are found, where, in which order, and why files are passed over')
    .addOption(new Option('--format <format>', 'output').choices(['text', 'json']).default('text'))
    .action(async (options: { format: 'text' | 'json' }) => {
      const found = await discover(around.env, around.cwd, { cacheDir: cacheDirOf(around.env) });
      around.stdout.write(options.format === 'json' ? formatDiscoveryJson(found) : formatDiscovery(found));
    });

  await program.parseAsync([...around.argv], { from: 'user' });
  return code;
}
