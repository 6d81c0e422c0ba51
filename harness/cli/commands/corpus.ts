import type { Command } from 'commander';
import type { CommandEnvironment } from '../../base/environment.ts';
import type { RunOptions } from '../../run/plan/run-options.ts';
import { run } from '../../run/run-command.ts';
import { type ConfigOptions, withPlaces } from '../config/option.ts';
import { collect, type Done, exitCodeHelp, withIds } from './options.ts';
import { demandPlugin, withoutIdlePolicy, withPlugin, withRunOptions } from './run.ts';

const CORPUS_HELP = `
Runs the official tests of StableHLO on a plugin: the 2,325 modules that were recorded from JAX (stablehlo/testdata), and
the functions with which StableHLO tests its interpreter (stablehlo/tests/interpret). Inputs become parameters of the program
that is compiled, so that a compiler cannot compute the result beforehand. Expected values stay on the host, and results
are compared with the tolerance that the test gives. What is beyond it but within the accuracy profile (--numerics) is a
warning. What a plugin refuses to compile is unsupported (docs/corpus.md).

The corpus is not part of this package:
  $ git clone --depth 1 https://github.com/openxla/stablehlo

Examples:
  $ pjrt-conformance corpus stablehlo --dir stablehlo --plugin ./foo.so
  $ pjrt-conformance corpus stablehlo --dir stablehlo --plugin ./foo.so --tests 'stablehlo/testdata:cosine_*'
  $ pjrt-conformance corpus stablehlo --dir stablehlo --plugin ./foo.so --suite stablehlo/interpret
  $ pjrt-conformance corpus stablehlo --dir stablehlo --plugin ./foo.so --shard 1/4 --events part1.jsonl
  $ pjrt-conformance corpus stablehlo --dir stablehlo --plugin ./foo.so --expectations foo.yaml --update-expectations
  $ pjrt-conformance run --resume reports/foo.corpus                     # resume a run that was killed
`;

const CLONE = 'a checkout of StableHLO: git clone --depth 1 https://github.com/openxla/stablehlo';

/** Adds `corpus`. */
export function addCorpus(program: Command, environment: CommandEnvironment, done: Done): void {
  const command = program.command('corpus').description('run the official tests of StableHLO on a plugin');
  command.argument('<name>', 'which corpus');
  command.registeredArguments[0]!.choices(['stablehlo']);
  command.optionsGroup('Corpus:').option('--dir <checkout>', 'a checkout of StableHLO (required)');
  withPlugin(command);
  withIds(command).option('--suite <id>', 'only this suite and those below it (repeatable)', collect);
  withRunOptions(command, environment);
  command
    .addHelpText('after', CORPUS_HELP + exitCodeHelp())
    .action(async (_: string, options: RunOptions & ConfigOptions & { dir?: string }) => {
      if (options.dir === undefined) command.error(`error: required option '--dir <checkout>' not specified\n${CLONE}`);
      demandPlugin(command, options);
      const { dir: directory, ...rest } = withoutIdlePolicy(options) as typeof options;
      const collection = { kind: 'corpus', directory: directory! } as const;
      done(await withPlaces(options, () => run({ ...rest, collection }, environment)));
    });
}
