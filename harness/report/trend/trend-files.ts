import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { groupedBy } from '../../base/grouping.ts';
import { cleanLine } from '../../base/sanitize.ts';
import { UsageError } from '../../base/usage-error.ts';
import { eachRun, runFile } from '../compare/read-runs.ts';
import type { NamedRun } from '../compare/side.ts';
import { leanRun } from './lean-run.ts';
import { newestOf, type Trend, trendOf } from './trend.ts';

/** The runs of a trend, as given on a command line. */
export interface TrendInput {
  runs: readonly string[];
  /** Only so many of the newest. */
  last?: number | undefined;
}

/** The trend of the runs in these files or directories, in the order of their start. @throws UsageError, EventLogError */
export function trendOfFiles({ runs, last }: TrendInput, cwd: string): Trend {
  if (last !== undefined && last < 2)
    throw new UsageError(`--last ${last}: a trend needs two runs or more`, { options: ['last'] });
  const paths = runs.map((name) => ({ name, path: resolve(cwd, name) }));
  refuseRepeats(paths, (one) => realpathSync(runFile(one)));
  const read: NamedRun[] = [];
  for (const run of eachRun(paths)) read.push(leanRun(run));
  refuseRepeats(read, identityOf);
  if (read.length < 2)
    throw new UsageError(`${read.map(({ name }) => name).join(', ')}: it is the only run; a trend needs two or more`);
  checkPlugins(newestOf(read, last));
  return trendOf(read, last);
}

/** What only copies of a run, its report, and what it was before it was resumed have in common. */
const identityOf = ({ run: { header, plugins } }: NamedRun): string =>
  JSON.stringify([header!.startedAt, header!.host.name, header!.shard?.index, plugins.map(({ sha256 }) => sha256)]);

/** A run that is given twice would count twice. @throws UsageError */
function refuseRepeats<T extends { name: string }>(given: readonly T[], identity: (one: T) => string): void {
  const seen = new Map<string, string>();
  for (const one of given) {
    const known = seen.get(identity(one));
    if (known !== undefined)
      throw new UsageError(`${known}, ${one.name}: they are the same run`, { paths: [one.name] });
    seen.set(identity(one), one.name);
  }
}

/** Runs that are named for each plugin. */
const NAMED = 3;

/** A trend is of one plugin, known by its platform. A run that could not ask it may be of any. @throws UsageError */
function checkPlugins(read: readonly NamedRun[]): void {
  const asked = read.filter(({ run }) => run.plugins.some(({ platformName }) => platformName !== undefined));
  const platforms = groupedBy(asked, ({ run }) =>
    run.plugins.map(({ platformName }) => platformName ?? '?').join(' + '),
  );
  if (platforms.size < 2) return;
  const texts = [...platforms].map(([platform, of]) => `${cleanLine(platform)} in ${listed(of)}`);
  throw new UsageError(
    `${listed(read)}: the runs are of different platforms: ${texts.join('; ')}; give those of one plugin`,
  );
}

function listed(runs: readonly NamedRun[]): string {
  const rest = runs.length > NAMED ? ` and ${runs.length - NAMED} more` : '';
  return `${runs
    .slice(0, NAMED)
    .map(({ name }) => name)
    .join(', ')}${rest}`;
}
