import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CommandEnvironment } from '../../base/environment.ts';
import { checkPluginSpec } from '../../host/plugins/resolve.ts';
import { CALLERS, type Caller, callerOf } from '../../knowledge/abi/caller.ts';
import type { RunOptions } from '../../run/plan/run-options.ts';
import { runSession } from '../../run/run.ts';
import { run } from '../../run/run-command.ts';
import { watch } from '../../run/watch/watch.ts';
import { LIST_FORMATS, type ListFormat } from '../../suite/list-cases.ts';
import type { ExitCode } from '../../verdict/exit-codes.ts';
import { type ConfigOptions, refuseMissing, withConfig, withPlaces } from '../config/option.ts';
import { printCases } from './list.ts';
import { withResolution } from './one-plugin.ts';
import {
  collect,
  type Done,
  exitCodeHelp,
  helpOf,
  milliseconds,
  wholeNumber,
  withConsole,
  withDeadlines,
  withDevices,
  withExpectations,
  withHost,
  withReports,
  withSelection,
} from './options.ts';

/** Adds `run`. */
export function addRun(program: Command, environment: CommandEnvironment, done: Done): void {
  const command = program
    .command('run', { isDefault: true })
    .description('run the suites on a plugin (the default command)');
  withPlugin(command);
  withSelection(command);
  withSubmission(command);
  withJobs(command);
  withResume(command);
  withRunOptions(command, environment);
  withDebugger(command);
  command
    .optionsGroup('Which cases:')
    .addOption(
      new Option(
        '--dry-run [format]',
        'print the selected cases, as `list` does, and run none; needs no plugin, but checks that a named one is there',
      )
        .choices(LIST_FORMATS)
        .preset('text')
        .conflicts('resume'),
    )
    .addOption(
      new Option(
        '--watch',
        'run again whenever the library, a manifest or a suite of yours changes: what failed first, then what calls the same functions, then the rest',
      ).conflicts(['resume', 'dryRun', 'shard', 'deviceEnv', 'node', 'mustpass', 'updateExpectations', 'outcomes']),
    );
  command
    .addHelpText('after', helpOf('run', { ending: exitCodeHelp }))
    .action(async (all: RunOptions & ConfigOptions & { dryRun?: ListFormat; watch?: boolean }) => {
      const { dryRun, watch: again, ...options } = all;
      if (dryRun) {
        if (!options.configPlaces?.has('plugin'))
          for (const plugin of options.plugin ?? []) await checkPluginSpec(plugin, environment);
        return printCases(options, dryRun, environment);
      }
      // Not a required option of commander: the configuration file or the log of a resumed run may name the plugin.
      if (options.resume === undefined) demandPlugin(command, options);
      const selected = withoutIdlePolicy(options);
      const { printFailure } = await import('../failure.ts');
      const explain = (error: unknown): ExitCode => printFailure(error, environment.stderr);
      done(
        await withPlaces(options, () =>
          again ? watch(selected, environment, runSession, explain) : run(selected, environment, givenFlags(command)),
        ),
      );
    });
}

/** Fails if no plugin is named. */
export function demandPlugin(command: Command, { plugin }: Partial<RunOptions>): void {
  if (!plugin) refuseMissing(command, "required option '--plugin <plugin>' not specified", 'plugin');
}

/** The configuration file sets a policy for all comparisons; a run without a baseline has none. */
export function withoutIdlePolicy(options: RunOptions & ConfigOptions): RunOptions & ConfigOptions {
  const { policy, ...rest } = options;
  return policy !== undefined && !options.baseline && options.configPlaces?.has('policy') ? rest : options;
}

/** The options of every command that runs cases, but for those that name the plugin and select the cases. */
export function withRunOptions(command: Command, environment: CommandEnvironment): void {
  withFailed(command);
  withVerdict(command);
  withGate(command);
  withReports(command)
    .addOption(
      new Option(
        '--outcomes <file>',
        'write the outcome of each case to this file as soon as it is final, one JSON line each, for test runners (schemas/outcomes.schema.json)',
      ).conflicts('deviceEnv'),
    )
    .option('--output <dir>', 'directory of the reports (default: reports/<plugin>)')
    .option('--events <file>', 'path of the event log, the source of all reports');
  withExpectations(command);
  withAttempts(command);
  withDeadlines(command);
  withConsole(command).addOption(
    new Option(
      '--debug',
      "log worker activity, every native call and the plugin's output to stderr as it happens, and to files beside the log; also raises the plugin's log level",
    ).conflicts('quiet'),
  );
  withConfig(command, environment);
}

/** What a case in a debugger cannot be beside. */
const ALONE = ['resume', 'dryRun', 'watch', 'deviceEnv', 'node', 'mustpass', 'repeat', 'rerunFailed', 'backtrace'];

function withDebugger(command: Command): void {
  command
    .optionsGroup('One case in a debugger, in this terminal (docs/debugging.md):')
    .addOption(
      new Option('--gdb', 'stops where the process dies, and at the call that failed in the last run here').conflicts([
        'lldb',
        'rr',
        ...ALONE,
      ]),
    )
    .addOption(new Option('--lldb', 'the same in lldb').conflicts(['rr', ...ALONE]))
    .addOption(
      new Option('--rr', 'records the worker with rr, in the directory rr of the reports, to be replayed').conflicts([
        'break',
        ...ALONE,
      ]),
    )
    .option(
      '--break <function>',
      'with --gdb or --lldb: stop at each call of this function of the C API (PJRT_Client_Compile), which needs no symbols',
    );
}

/** Parser of `--as-api`. */
function parseCaller(text: string): Caller {
  const caller = callerOf(text);
  if (!caller) throw new InvalidArgumentError(`It must be ${CALLERS}.`);
  return caller;
}

/** Options given on the command line, by name. */
const givenFlags = (command: Command): Map<string, string> =>
  new Map(
    command.options
      .map((option) => [option.attributeName(), option.long ?? option.flags] as const)
      .filter(([name]) => command.getOptionValueSource(name) === 'cli'),
  );

function withResume(command: Command): void {
  command
    .optionsGroup('Resuming a run that was killed or stopped:')
    .option(
      '--resume <log>',
      'resume the run of this events.jsonl, or of the directory with it: finished results are kept, missing cases run, and the reports cover the whole run; plugin, cases and options come from the log, and only --workers, --max-failures and the options for reports, output and comparison may be overridden',
    );
}

/** Options that name the plugin and say how it is used. */
export function withPlugin(command: Command): void {
  command
    .optionsGroup('Plugin:')
    .option(
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
      'number of worker processes (default: by CPU cores; 1 for plugins that allow only one process)',
      wholeNumber,
    )
    .addOption(new Option('--binding <how>', 'how symbols are bound at load').choices(['now', 'lazy']).default('now'));
  withHost(command).addOption(
    new Option(
      '--as-api <version>',
      'act as a consumer built against this API version (0.67), with its struct sizes, functions and enum values; `newer`: send longer structs and unknown extensions, as a future framework would',
    ).argParser(parseCaller),
  );
  withDevices(withResolution(command))
    .option(
      '--device-env <variables>',
      "run on the device that these variables make visible: 'NAME=VALUE NAME=VALUE', or 'NAME=0..7' for eight devices (repeatable); all devices run every case in parallel, each with reports of its own, and are compared",
      collect,
    )
    .option('--across-devices', 'with --device-env: each device runs a part of the cases, and the reports are merged')
    .option(
      '--reset-command <command>',
      "shell command that resets the devices; it runs after each death of a worker, before the next one starts, and there is one worker (default: the manifest's `resetCommand`)",
    )
    .option(
      '--backtrace',
      'look at processes that die of a signal or reach a deadline with gdb: findings then say where they were, function by function',
    );
}

function withSubmission(command: Command): void {
  command
    .optionsGroup('Submissions (with --mustpass, see docs/conformance-programme.md):')
    .option(
      '--statement <file>',
      'YAML file that says what is tested; it is checked before the run, and `bundle` packs it',
    )
    .option('--waivers <file>', 'YAML file of failures that are permitted for versions of the product');
}

function withJobs(command: Command): void {
  command
    .optionsGroup('Jobs of several processes (suites distributed/*, see docs/distributed.md):')
    .option('--nodes <n>', 'number of processes of a job (2)', wholeNumber)
    .option(
      '--store <url>',
      'key-value store through which they meet: redis://HOST[:PORT][/NAME] or etcd://HOST[:PORT][/NAME] (default: a built-in one); its password is in PJRT_CONFORMANCE_STORE_PASSWORD',
    )
    .option(
      '--node <i/n>',
      'this run has node i of n, from 0; the others are runs with the same --store and selection on other machines',
    );
}

function withFailed(command: Command): void {
  command
    .optionsGroup('Which cases:')
    .addOption(
      new Option('--last-failed', 'only the cases that failed in the last run of this plugin here').conflicts([
        'failedOf',
        'resume',
        'deviceEnv',
        'shard',
        'dryRun',
      ]),
    )
    .option(
      '--failed-of <run>',
      'only the cases that failed in this run: its directory, log or JSON report (repeatable: its shards)',
      collect,
    );
}

function withVerdict(command: Command): void {
  command
    .optionsGroup('Verdict:')
    .option('--strict', 'a violated SHOULD fails the run too')
    .addOption(
      new Option(
        '--numerics <profile>',
        "accuracy required of rounded results (default: the manifest's, otherwise standard): strict is OpenCL C's, standard what XLA's own tests allow on CPUs and GPUs, relaxed what JAX's tests allow on any accelerator; results beyond a chosen profile fail the run; beyond the default they warn where relaxed allows them and StableHLO specifies no accuracy, otherwise fail",
      ).choices(['strict', 'standard', 'relaxed']),
    )
    .option('--accept-known', "failures listed as known deviations in the plugin's manifest do not fail the run")
    .option('--allow-flaky', 'cases that pass in one attempt and fail in another do not fail the run')
    .option('--max-failures <n>', 'stop the run after n cases that fail it', wholeNumber)
    .addOption(
      new Option(
        '--budget <time>',
        'run the cases first that detect most per second, and begin none after this time (30m); what is left out is skipped',
      )
        .argParser(milliseconds)
        .conflicts(['node']),
    );
}

function withGate(command: Command): void {
  command
    .optionsGroup('Comparison with an earlier run (see also compare):')
    .option(
      '--baseline <run>',
      'an earlier run to compare with: its directory, log or JSON report (repeatable: shards, or repeats)',
      collect,
    )
    .option('--gate', 'a regression from the --baseline run fails the run too')
    .option(
      '--policy <file>',
      'YAML file that says which changes are regressions (compare --print-policy prints the default)',
    );
}

function withAttempts(command: Command): void {
  command
    .optionsGroup('Attempts:')
    .option('--repeat <n>', 'run every case n times, in fresh workers and alternating order (1)', wholeNumber)
    .option(
      '--rerun-failed <n>',
      'rerun a failed case up to n times, each time in a fresh worker; a case that then passes is flaky',
      wholeNumber,
    );
}
