import { basename, resolve } from 'node:path';
import { Argument, type Command, Option } from 'commander';
import { asJson, asJsonLine } from '../../base/as-json.ts';
import type { CommandEnvironment, Output } from '../../base/environment.ts';
import type { Trace } from '../../knowledge/trace/open-trace.ts';
import { TraceError } from '../../knowledge/trace/trace-error.ts';
import { type ExitCode, exitCode } from '../../verdict/exit-codes.ts';
import { readable } from '../readable.ts';
import { type Done, helpOf, wholeNumber } from './options.ts';

/** Parsed options of `trace`. */
interface Options {
  output?: string;
  every?: boolean;
  execute?: number;
  format: 'text' | 'json';
  /** The second recording of `diff`. */
  other: string;
}

const ACTIONS = ['show', 'calls', 'timeline', 'check', 'programs', 'diff', 'pack', 'unpack'] as const;
type Action = (typeof ACTIONS)[number];

/** Adds `trace`. */
export function addTrace(program: Command, environment: CommandEnvironment, done: Done): void {
  const command = program
    .command('trace')
    .description(
      'read a recording: a summary, all calls, a timeline, mistakes of the caller and of the plugin, its executions as programs for any plugin, or what another one calls differently; or pack it',
    )
    .addArgument(new Argument('<action>', 'what to do').choices([...ACTIONS]))
    .argument('[trace]', 'directory that `record` has written, or a packed one', 'trace')
    .argument('[other]', 'diff: another recording')
    .option(
      '-o, --output <path>',
      'timeline: the file (default: timeline.json); programs: directory of the programs (default: cases); pack: the file (default: TRACE.tar.br); unpack: the directory',
    )
    .option('--every', 'programs: every execution instead of the first of each program')
    .option('--execute <n>', 'programs: only the execution of this number, as `trace calls` has it', wholeNumber)
    .addOption(new Option('--format <format>', 'output format').choices(['text', 'json']).default('text'));
  command
    .addHelpText('after', helpOf('trace'))
    .action(async (action: Action, trace: string, other: string | undefined, options: Options) => {
      if (action !== 'programs' && (options.every || options.execute !== undefined))
        command.error(`error: --every and --execute are for \`trace programs\`, not for \`trace ${action}\``);
      if ((action === 'diff') !== (other !== undefined))
        command.error(
          action === 'diff'
            ? 'error: `trace diff` compares two recordings; name both'
            : `error: \`trace ${action}\` reads one recording, and ${other} is a second one`,
        );
      try {
        done(await ACT[action](trace, { ...options, other: other ?? '' }, environment));
      } catch (error) {
        if (!(error instanceof TraceError)) throw error;
        environment.stderr.write(`error: ${readable(error.message)}\n`);
        done(exitCode('usage'));
      }
    });
}

type Act = (trace: string, options: Options, environment: CommandEnvironment) => Promise<number>;

/** Opens a trace, which may be packed. @throws TraceError */
async function opened(path: string, cwd: string): Promise<Trace> {
  const [{ openTrace }, { traceDirectory }] = await Promise.all([
    import('../../knowledge/trace/open-trace.ts'),
    import('../../knowledge/trace/trace-directory.ts'),
  ]);
  return openTrace(await traceDirectory(resolve(cwd, path), path), path);
}

/** Prints what the processes of a trace did that no caller may, and what their plugins did. @throws TraceError */
export async function checkCaller(
  path: string,
  cwd: string,
  format: Options['format'],
  output: Output,
): Promise<ExitCode> {
  const [{ checkTrace, keptTheRules }, { formatChecked }] = await Promise.all([
    import('../../commands/contract/check-trace.ts'),
    import('../../commands/contract/format-checked.ts'),
  ]);
  const processes = checkTrace(await opened(path, cwd), path);
  output.write(format === 'json' ? asJson(processes) : readable(formatChecked(processes)));
  return exitCode(processes.every(keptTheRules) ? 'passes' : 'fails');
}

const ACT: Readonly<Record<Action, Act>> = {
  async show(path, { format }, { cwd, stdout }) {
    const [{ summarize }, { formatSummary }] = await Promise.all([
      import('../../commands/trace/summary.ts'),
      import('../../commands/trace/format-summary.ts'),
    ]);
    const summary = summarize(await opened(path, cwd));
    stdout.write(format === 'json' ? asJson(summary) : readable(formatSummary(summary)));
    return exitCode('passes');
  },

  async calls(path, _options, { cwd, stdout, stderr }) {
    const { callLines } = await import('../../commands/trace/calls.ts');
    const trace = await opened(path, cwd);
    for (const line of callLines(trace)) stdout.write(asJsonLine(line));
    for (const file of new Set(trace.notes.cut))
      stderr.write(readable(`${file} ends inside of its last record, which is left out\n`));
    return exitCode('passes');
  },

  async timeline(path, { output = 'timeline.json', format }, { cwd, stdout, signal }) {
    const { writeTimeline } = await import('../../commands/trace/timeline.ts');
    const trace = await opened(path, cwd);
    const file = { output: resolve(cwd, output), shownOutput: output, ...(signal && { signal }) };
    const written = await writeTimeline(trace, file);
    const said = `${output}: ${written.events} events in ${written.bytes} bytes; open it in https://ui.perfetto.dev\n`;
    stdout.write(format === 'json' ? asJson({ file: output, ...written }) : readable(said));
    return exitCode('passes');
  },

  async check(path, { format }, { cwd, stdout }) {
    return checkCaller(path, cwd, format, stdout);
  },

  async programs(path, { output = 'cases', every, execute, format }, { cwd, stdout }) {
    const [{ writePrograms }, { formatPrograms }] = await Promise.all([
      import('../../commands/trace/programs.ts'),
      import('../../commands/trace/format-programs.ts'),
    ]);
    const trace = await opened(path, cwd);
    const written = writePrograms(trace, { output: resolve(cwd, output), shown: output, every, execute });
    stdout.write(format === 'json' ? asJson(written) : readable(formatPrograms(written, output)));
    return written.programs.length > 0 ? exitCode('passes') : exitCode('fails');
  },

  async diff(path, { format, other }, { cwd, stdout }) {
    const [{ diffTraces }, { formatDiff }] = await Promise.all([
      import('../../commands/trace/diff.ts'),
      import('../../commands/trace/format-diff.ts'),
    ]);
    const diff = diffTraces(await opened(path, cwd), await opened(other, cwd));
    stdout.write(format === 'json' ? asJson(diff) : readable(formatDiff(diff, [path, other])));
    return exitCode('passes');
  },

  async pack(path, { output, format }, { cwd, stdout, signal }) {
    const [{ packTrace }, { PACKED }] = await Promise.all([
      import('../../knowledge/trace/pack-trace.ts'),
      import('../../knowledge/trace/packed-files.ts'),
    ]);
    const directory = resolve(cwd, path);
    const shownOutput = output ?? `${basename(directory)}${PACKED}`;
    const packed = await packTrace({
      ...{ directory, shown: path, output: resolve(cwd, shownOutput), shownOutput },
      ...(signal && { signal }),
    });
    const { files, bytes, packedBytes } = packed;
    const said = `${shownOutput}: ${files} files of ${bytes} bytes in ${packedBytes}\n`;
    stdout.write(format === 'json' ? asJson({ file: shownOutput, ...packed }) : readable(said));
    return exitCode('passes');
  },

  async unpack(path, { output }, { cwd, stdout }) {
    const { unpackTo } = await import('../../knowledge/trace/unpack-trace.ts');
    const shown = output ?? 'trace';
    await unpackTo(resolve(cwd, path), path, resolve(cwd, shown), shown);
    stdout.write(readable(`the trace is in ${shown}\n`));
    return exitCode('passes');
  },
};
