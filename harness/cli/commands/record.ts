import { type Command, InvalidArgumentError, Option } from 'commander';
import { display } from '../../base/display.ts';
import type { CommandEnvironment } from '../../base/environment.ts';
import { UsageError } from '../../base/usage-error.ts';
import type { RecordOptions } from '../../commands/record/new-trace.ts';
import { exitCode } from '../../verdict/exit-codes.ts';
import { readable } from '../readable.ts';
import { type Done, helpOf } from './options.ts';

/** Parsed options of `record`. */
interface Options extends RecordOptions {
  check: boolean;
  asPlugin?: string;
  plugin?: string;
}

/** Adds `record`. */
export function addRecord(program: Command, environment: CommandEnvironment, done: Done): void {
  program
    .command('record')
    .description('run a program, as a training script, and record what it calls of its PJRT plugin')
    .usage('[options] -- <command...>')
    .argument('[command...]', 'the program and its arguments, behind --')
    .option('-o, --output <dir>', 'directory of the trace', 'trace')
    .addOption(
      new Option('--keep <what>', 'what is kept of host data').choices(['all', 'hashes', 'none']).default('all'),
    )
    .addOption(
      new Option('--contents <which>', 'of which executions of a program arguments and results are read')
        .choices(['first', 'every', 'none'])
        .default('first'),
    )
    .option('--programs-only', 'record only what is compiled', false)
    .addOption(
      new Option(
        '--window <n-m>',
        'record everything of the n-th to the m-th execution of each process, with arguments and results, and elsewhere only what is compiled',
      )
        .argParser(executions)
        .conflicts(['programsOnly', 'contents', 'check']),
    )
    .option('--max-size <size>', 'stop recording after so much, such as 500M or 2G; the program goes on', bytes)
    .option('--no-views', 'let plugins say that the host cannot read buffers where they are, so that copies are read')
    .option(
      '--stablehlo <version>',
      'let plugins say that they read no later StableHLO than this, such as 1.13.0, so that older ones can read the programs',
      version,
    )
    .addOption(
      new Option(
        '--check',
        'say then what the program and the plugin did that the C API does not allow, as `trace check` does',
      )
        .conflicts('programsOnly')
        .default(false),
    )
    .addOption(
      new Option(
        '--as-plugin <file>',
        'make a plugin file that records what its caller does with --plugin, for a program that record cannot start',
      ).conflicts('check'),
    )
    .option('--plugin <plugin>', 'with --as-plugin: the plugin to record, a path, a known name, or a manifest')
    .addHelpText('after', helpOf('record'))
    .action(async (words: string[], options: Options) => {
      done(await (options.asPlugin === undefined ? recording : makingPlugin)(words, options, environment));
    });
}

/** `record --as-plugin`. @throws UsageError */
async function makingPlugin(words: readonly string[], options: Options, environment: CommandEnvironment) {
  const { asPlugin, plugin } = options;
  if (asPlugin === undefined || plugin === undefined)
    throw new UsageError('--as-plugin needs the plugin that is to be recorded: --plugin ./foo.so', {
      options: ['as-plugin'],
    });
  if (words.length > 0)
    throw new UsageError(`--as-plugin starts no program; without it: record -- ${words.join(' ')}`, {
      options: ['as-plugin'],
    });
  const { recordAsPlugin } = await import('../../commands/record/record-as-plugin.ts');
  environment.stdout.write(readable(await recordAsPlugin({ ...options, asPlugin, plugin }, environment)));
  return exitCode('passes');
}

async function recording(words: readonly string[], options: Options, environment: CommandEnvironment): Promise<number> {
  if (options.plugin !== undefined)
    throw new UsageError('--plugin goes with --as-plugin; what record starts loads its plugin itself', {
      options: ['plugin'],
    });
  if (words.length === 0)
    throw new UsageError('record needs a program to start, behind --, as in: record -- python train.py');
  const { record, exitCodeOf } = await import('../../commands/record/record.ts');
  const { stderr, cwd } = environment;
  const ended = await record(words, options, environment);
  if (ended.nothing !== undefined) {
    stderr.write(`error: ${readable(ended.nothing)}\n`);
    return exitCode('unusable');
  }
  const shown = display(cwd, ended.trace);
  stderr.write(readable(`pjrt-conformance record: the trace is in ${shown}; pjrt-conformance trace show ${shown}\n`));
  const code = exitCodeOf(ended);
  if (!options.check) return code;
  const { checkCaller } = await import('./trace.ts');
  const judged = await checkCaller(shown, cwd, 'text', stderr);
  return code || judged;
}

const version = (value: string): string => {
  if (!/^\d{1,4}\.\d{1,4}\.\d{1,4}$/.test(value))
    throw new InvalidArgumentError('It must be a version, such as 1.13.0.');
  return value;
};

const executions = (value: string): NonNullable<RecordOptions['window']> => {
  const [, first, last = first] = /^(\d{1,12})(?:-(\d{1,12}))?$/.exec(value) ?? [];
  const window = { first: Number(first), last: Number(last) };
  if (!(window.first >= 1 && window.first <= window.last))
    throw new InvalidArgumentError('It must be numbers of executions, from 1 on, such as 1000-1010, or 1000.');
  return window;
};

const UNITS: Readonly<Record<string, number>> = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 };

const bytes = (value: string): number => {
  const [, number, unit] = /^(\d{1,9})([KMG]?)$/.exec(value) ?? [];
  const size = Number(number) * (UNITS[unit ?? ''] ?? 0);
  if (number === undefined || size === 0)
    throw new InvalidArgumentError('It must be a number of bytes, such as 1048576, 500M or 2G.');
  return size;
};
