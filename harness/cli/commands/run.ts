import { type Command, Option } from 'commander';
import { parseCaller } from '../caller.ts';
import { refuseMissing, withConfig, withPlaces } from '../config/option.ts';
import type { RunOptions } from '../run/run-options.ts';
import { run } from '../run.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Done } from './done.ts';
import {
  collect,
  exitCodeHelp,
  wholeNumber,
  withConsole,
  withDeadlines,
  withExpectations,
  withReports,
  withSelection,
} from './options.ts';

const RUN_HELP = `
Loads the plugin into worker processes, as a framework would, runs the cases, and writes a log, a JUnit and a JSON report. The
plugin may crash, hang or exit: that costs the case in hand, and the rest still runs.

Examples:
  $ pjrt-conformance run --plugin ./pjrt-plugin-foo.so                          # \`run\` may be left out
  $ pjrt-conformance run --plugin ./foo.so --tests 'load/*' --option num_devices=2
  $ pjrt-conformance run --plugin ./foo.so --profile smoke --report html --report sarif
  $ pjrt-conformance run --plugin ./foo.so --expectations foo.yaml --update-expectations   # what fails now is expected
  $ pjrt-conformance run --plugin ./foo.so --baseline reports/old --gate        # fails when it is worse than that run
  $ pjrt-conformance run --resume reports/foo                                   # go on with a run that was killed
`;

/** `run`: its options and help. */
export function addRun(program: Command, around: Surroundings, done: Done): void {
  const command = program
    .command('run', { isDefault: true })
    .description('run the suites against a plugin (the default command)');
  withPlugin(command);
  withSelection(command);
  withResume(command);
  withVerdict(command);
  withGate(command);
  withReports(command)
    .option('--output <folder>', 'where the reports go (default: reports/<plugin>)')
    .option('--events <file>', 'path of the event log, the source of all reports');
  withExpectations(command);
  withAttempts(command);
  withDeadlines(command);
  withConsole(command).addOption(
    new Option(
      '--debug',
      "what workers do, every native call and all that the plugin writes, on stderr as it happens and in files beside the log; the plugin's logging is turned up",
    ).conflicts('quiet'),
  );
  withConfig(command, around);
  command.addHelpText('after', RUN_HELP + exitCodeHelp()).action(async (options: RunOptions) => {
    // Not a required option of commander: the configuration file may name the plugin, and the log of a run that goes on does.
    if (!options.plugin && options.resume === undefined) {
      refuseMissing(command, "required option '--plugin <plugin>' not specified", 'plugin');
    }
    // The file has it for every comparison, and this run is compared with none.
    if (!options.baseline && options.configPlaces?.has('policy')) delete options.policy;
    done(await withPlaces(options, () => run(options, around, givenFlags(command))));
  });
}

/** Flags that the command line gives, by their names among the options. */
const givenFlags = (command: Command): Map<string, string> =>
  new Map(
    command.options
      .map((option) => [option.attributeName(), option.long ?? option.flags] as const)
      .filter(([name]) => command.getOptionValueSource(name) === 'cli'),
  );

function withResume(command: Command): void {
  command
    .optionsGroup('A run that was killed or stopped:')
    .option(
      '--resume <log>',
      'go on with it, from its events.jsonl or the folder of it: results stay, what is missing runs, and the reports are those of the whole run; plugin, cases and options are those of the log, only --workers, --max-failures and options of reports and output may be given anew',
    );
}

function withPlugin(command: Command): void {
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
      'worker processes (default: by cores; 1 for plugins that allow one process only)',
      wholeNumber,
    )
    .addOption(new Option('--binding <how>', 'how symbols are bound at load').choices(['now', 'lazy']).default('now'))
    .addOption(
      new Option(
        '--as-api <version>',
        'talk to the plugin as a caller of that API version (0.67): its struct sizes, functions and enum values; `newer`: longer structs and unknown extensions, as a future framework would',
      ).argParser(parseCaller),
    )
    .option('--no-fetch', 'never download a known plugin');
}

function withVerdict(command: Command): void {
  command
    .optionsGroup('Verdict:')
    .option('--strict', 'a broken SHOULD fails the run too')
    .addOption(
      new Option(
        '--numerics <profile>',
        "accuracy that rounded results are held to (default: the plugin manifest's, else standard): strict is what the C of OpenCL asks, standard what XLA's own tests allow CPUs and GPUs, relaxed what JAX's tests allow any accelerator; a profile that was chosen fails the run, the default warns up to relaxed",
      ).choices(['strict', 'standard', 'relaxed']),
    )
    .option('--accept-known', "failures listed as known deviations in the plugin's manifest do not fail the run")
    .option('--allow-flaky', 'cases that hold in one attempt and break in another do not fail the run')
    .option('--max-failures <n>', 'stop after so many cases that fail the run', wholeNumber);
}

function withGate(command: Command): void {
  command
    .optionsGroup('Against an earlier run (see also compare):')
    .option(
      '--baseline <run>',
      'an earlier run: its folder, log or JSON report; what changed is told (repeatable: shards, or repeats)',
      collect,
    )
    .option('--gate', 'a change that the policy calls a regression fails the run too')
    .option('--policy <file>', 'what counts as a regression (compare --print-policy)');
}

function withAttempts(command: Command): void {
  command
    .optionsGroup('Attempts:')
    .option('--repeat <n>', 'run every case so many times, in new workers and other orders (1)', wholeNumber)
    .option(
      '--rerun-failed <n>',
      'run a case that fails again, up to so many times, each in a worker of its own; one that then holds is flaky',
      wholeNumber,
    );
}
