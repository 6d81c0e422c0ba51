import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { groupedBy } from '../../base/grouping.ts';
import { cleanLine } from '../../base/sanitize.ts';
import { UsageError } from '../../base/usage-error.ts';
import { eachRun, runFile } from '../compare/read-runs.ts';
import type { NamedRun } from '../compare/side.ts';
import { leanRun } from './lean-run.ts';
import { type Trend, trendOf } from './trend.ts';

/** The runs of a trend, as given on a command line. */
export interface TrendInput {
  runs: readonly string[];
  /** Only so many of the newest. */
  last?: number | undefined;
}

/** The trend of the runs in these files or directories, in the order of their start. @throws UsageError, EventLogError */
export function trendOfFiles({ runs, last }: TrendInput, cwd: string): Trend {
  const paths = runs.map((name) => ({ name, path: resolve(cwd, name) }));
  const seen = new Map<string, string>();
  for (const one of paths) {
    const file = realpathSync(runFile(one));
    const known = seen.get(file);
    if (known !== undefined)
      throw new UsageError(`${known}, ${one.name}: they are the same run`, { paths: [one.name] });
    seen.set(file, one.name);
  }
  const read: NamedRun[] = [];
  for (const run of eachRun(paths)) read.push(leanRun(run));
  if (read.length < 2)
    throw new UsageError(`${read.map(({ name }) => name).join(', ')}: it is the only run; a trend needs two or more`);
  if (last !== undefined && last < 2)
    throw new UsageError(`--last ${last}: a trend needs two runs or more`, { options: ['last'] });
  checkPlugins(read);
  return trendOf(read, last);
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
