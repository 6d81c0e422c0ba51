import { readFileSync } from 'node:fs';
import type { LoadedSuite } from '../suite/load.ts';
import { formatProblem } from '../suite/problem.ts';
import { PROFILES } from '../suite/profiles.ts';
import { parseShard, selectCases } from '../suite/select.ts';
import type { Case } from '../suite/types.ts';
import { loadAllSuites } from './load-suites.ts';
import { UsageError } from './usage-error.ts';

/** Options that say which cases are meant; the same for `run` and `list`. */
export interface SelectionOptions {
  suites?: string[];
  suite?: string[];
  tests?: string[];
  tag?: string[];
  requirement?: string[];
  exclude?: string[];
  testsFrom?: string;
  shard?: string;
  profile?: string;
}

/** Loads the suites and picks the cases. @throws SuiteError, UsageError */
export async function selectedCases(options: SelectionOptions): Promise<{ suites: LoadedSuite[]; cases: Case[] }> {
  const suites = await loadAllSuites(options.suites, options.suite);
  const cases = suites.flatMap((suite) => suite.cases);
  const profile = PROFILES[options.profile ?? 'full'];
  if (!profile) {
    throw new UsageError(
      `--profile ${options.profile}: unknown profile; there are ${Object.keys(PROFILES).join(', ')}`,
    );
  }
  const selection = selectCases(cases.filter(profile.includes), {
    ...(options.suite ? { suites: options.suite } : {}),
    ...(options.tests ? { ids: options.tests } : {}),
    ...(options.tag ? { tags: options.tag } : {}),
    ...(options.requirement ? { requirements: options.requirement } : {}),
    ...(options.exclude ? { exclude: options.exclude } : {}),
    ...(options.testsFrom === undefined ? {} : { testsFrom: listLines(options.testsFrom) }),
    ...(options.shard === undefined ? {} : { shard: parseShard(options.shard) }),
  });
  if (selection.unmatched.length > 0) throw new UsageError(selection.unmatched.map(formatProblem).join('\n'));
  if (selection.cases.length === 0) {
    throw new UsageError('no case is selected; `pjrt-conformance list` shows what there is');
  }
  return { suites, cases: selection.cases };
}

function listLines(path: string): string[] {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8').split('\n');
  } catch (error) {
    throw new UsageError(`--tests-from ${path}: cannot be read: ${(error as Error).message}`);
  }
}
