import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type CommandEnvironment, wantsColor } from '../../base/environment.ts';
import { refuseDash } from '../../base/refuse-dash.ts';
import { UsageError } from '../../base/usage-error.ts';
import { formatNamed, requestedFile } from '../../report/format.ts';
import { TREND_FORMATS } from '../../report/trend/formats.ts';
import type { Trend } from '../../report/trend/trend.ts';
import { checkPlaces, type Place, placesOf, reportLines } from '../../run/files/report-files.ts';
import { collect, helpOf, wholeNumber, withConsole } from './options.ts';

/** Parsed options of `trend`. */
interface TrendOptions {
  last?: number;
  expectations?: string;
  format: string;
  report?: string[];
  output?: string;
  quiet?: boolean;
  verbose?: boolean;
  color?: boolean;
}

/** Adds `trend`. */
export function addTrend(program: Command, environment: CommandEnvironment): void {
  const command = program
    .command('trend')
    .description('show what changed over several runs: pass rate, unstable cases, times, memory; needs no plugin')
    .argument('<runs...>', 'logs, JSON reports, or directories of runs, of one plugin, in any order')
    .option('--last <n>', 'only so many of the newest runs', wholeNumber)
    .option('--expectations <file>', 'write an expectations file that excuses the unstable cases')
    .optionsGroup('Output:')
    .option('--format <format>', `output format: ${TREND_FORMATS.map(({ name }) => name).join(', ')}`, 'text')
    .option(
      '--report <format[=file]>',
      `also write a file: ${TREND_FORMATS.map(({ name, description }) => `${name} (${description})`).join(', ')} (repeatable)`,
      collect,
    )
    .option('--output <dir>', 'directory for --report without a file name (default: the working directory)');
  withConsole(command, 'every case, and programs that need less memory')
    .addHelpText('after', helpOf('trend'))
    .action((runs: string[], options: TrendOptions) => trend(runs, options, environment));
}

/** Reads the runs, prints their trend and writes the requested files. @throws UsageError, EventLogError, WriteFileError */
async function trend(runs: readonly string[], options: TrendOptions, environment: CommandEnvironment): Promise<void> {
  const { cwd, stdout, stderr } = environment;
  const at = (name: string): string => resolve(cwd, name);
  const format = formatNamed(TREND_FORMATS, options.format, ['format', options.format], 'trend format');
  const written = (options.report ?? []).map((entry) => {
    const { format: one, file } = requestedFile(entry, TREND_FORMATS, 'trend format');
    return { format: one, path: at(file ?? resolve(at(options.output ?? '.'), one.file)) };
  });
  const expectations = options.expectations === undefined ? undefined : newFile(options.expectations, cwd);
  const [{ trendOfFiles }, { runFile }, { writeFileAtomically }] = await Promise.all([
    import('../../report/trend/trend-files.ts'),
    import('../../report/compare/read-runs.ts'),
    import('../../report/write-file.ts'),
  ]);
  const read = runs.map((name): Place => ['a run of the trend', runFile({ name, path: at(name) })]);
  const first: Place[] = expectations === undefined ? read : [...read, ['the expectations', expectations]];
  checkPlaces(first, placesOf(written, 'trend'), cwd);
  const found = trendOfFiles({ runs, last: options.last }, cwd);
  if (format.name === 'text') {
    const { trendLines } = await import('../../report/trend/text.ts');
    const color = options.color ?? wantsColor(environment);
    stdout.write(`${trendLines(found, { ...options, color }).join('\n')}\n`);
  } else {
    const produce = await format.load();
    produce(found, (chunk) => stdout.write(chunk), {});
  }
  for (const { format: one, path } of written) {
    const produce = await one.load();
    writeFileAtomically(path, (write) => produce(found, write, {}));
  }
  const files = written.map(({ format: { name }, path }): [string, string] => [name, path]);
  // Standard output may be a document.
  const out = format.name === 'text' ? stdout : stderr;
  if (expectations !== undefined && (await writeProposals(found, expectations)))
    files.push(['expectations', expectations]);
  else if (expectations !== undefined) out.write('note: no case is unstable; no expectations are written\n');
  if (!options.quiet && files.length > 0) for (const line of reportLines(files, cwd)) out.write(`${line}\n`);
}

/** The path of a file that does not exist yet: what people wrote into one is not overwritten. @throws UsageError */
function newFile(name: string, cwd: string): string {
  refuseDash('expectations', name);
  const path = resolve(cwd, name);
  if (!existsSync(path)) return path;
  throw new UsageError(`--expectations ${name}: the file exists; name a new one, and copy the entries that you want`, {
    options: ['expectations'],
  });
}

/** @returns whether there is anything to write */
async function writeProposals({ proposals, plugins }: Trend, path: string): Promise<boolean> {
  if (proposals.length === 0) return false;
  const [{ proposedFile }, { writeFileAtomically }] = await Promise.all([
    import('../../report/trend/proposals.ts'),
    import('../../report/write-file.ts'),
  ]);
  writeFileAtomically(path, (write) => write(proposedFile(proposals, plugins[0] ?? '*')));
  return true;
}
