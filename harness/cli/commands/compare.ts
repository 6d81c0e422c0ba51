import type { Command } from 'commander';
import { COMPARISON_FORMATS } from '../../compare/format.ts';
import type { CompareOptions } from '../compare.ts';
import { type ConfigOptions, tellConfig, withConfig, withPlaces } from '../config/option.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Done } from './done.ts';
import { collect, withConsole } from './options.ts';

const HELP = `
OLD and NEW are event logs (events.jsonl), JSON reports (report.json), or the folders of runs. With --old and --new a side
may be several: logs of the parts of a sharded run are merged, logs of whole runs are repeats, which show what is noise.

A policy says which changes are regressions. The default one is strict for correctness (new failures and crashes, lost
functions and extensions, a step back of the API, drift of numbers) and lenient for time and memory (warnings).

Examples:
  $ pjrt-conformance compare reports/old reports/new
  $ pjrt-conformance compare --old base-*/events.jsonl --new pr-*/events.jsonl
  $ pjrt-conformance compare old.jsonl new.jsonl --format markdown > comment.md       # for a pull request
  $ pjrt-conformance compare old.jsonl new.jsonl --report junit=gate.xml --report json=gate.json
  $ pjrt-conformance compare --print-policy > gate.yaml                               # … edit it, then:
  $ pjrt-conformance compare old.jsonl new.jsonl --policy gate.yaml
  $ pjrt-conformance --plugin ./foo.so --baseline reports/release --gate              # run and compare at once

Exit codes:
  0    no change that the policy calls a regression
  1    at least one
  2    wrong options, a log, report or policy that cannot be read, or nothing to compare
`;

/** `compare`: its options and help. */
export function addCompare(program: Command, around: Surroundings, done: Done): void {
  const command = program
    .command('compare')
    .description('what changed between two runs, and whether a policy calls it a regression; needs no plugin')
    .argument('[runs...]', 'OLD and NEW: logs, JSON reports, or folders with one')
    .optionsGroup('Which runs:')
    .option('--old <runs...>', 'the old side, where it is several logs: shards or repeats')
    .option('--new <runs...>', 'the new side, likewise')
    .optionsGroup('Verdict:')
    .option('--policy <file>', 'what counts as a regression, in YAML (schemas/gate-policy.schema.json)')
    .option('--print-policy', 'print the default policy, to start from')
    .optionsGroup('Output:')
    .option('--format <format>', `what is printed: ${formatNames()}`, 'text')
    .option(
      '--report <format[=file]>',
      `write a file too: ${COMPARISON_FORMATS.map(({ name, description }) => `${name} (${description})`).join(', ')} (repeatable)`,
      collect,
    )
    .option('--output <folder>', 'where files go that are not named (default: here)')
    .option('--no-github', 'no job summary in a GitHub workflow');
  withConsole(command, 'every change, with its whole detail');
  withConfig(command, around)
    .addHelpText('after', HELP)
    .action(async (runs: string[], options: CompareOptions & ConfigOptions & { printPolicy?: boolean }) => {
      if (options.printPolicy) {
        const { defaultPolicyYaml } = await import('../../compare/policy.ts');
        around.stdout.write(defaultPolicyYaml());
        return;
      }
      tellConfig(options, around);
      const { compare } = await import('../compare.ts');
      done(await withPlaces(options, () => compare(runs, options, around)));
    });
}

const formatNames = (): string => COMPARISON_FORMATS.map(({ name }) => name).join(', ');
