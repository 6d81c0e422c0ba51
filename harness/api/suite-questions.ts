import { chosenShard } from '../run/fleet/chosen-shard.ts';
import { shardText } from '../run/fleet/shard.ts';
import { checkFiles } from '../run/suites/check-files.ts';
import { coverageOf } from '../run/suites/check-suites.ts';
import { selectedCases } from '../run/suites/selection.ts';
import type { Coverage } from '../suite/coverage.ts';
import { type ListedCase, listed } from '../suite/list-cases.ts';
import type { Validation } from '../suite/validate.ts';
import { type RunRequest, shardArgument } from './run.ts';

/** Suites, and other files that people write, to check. */
export interface ValidateRequest {
  /** Files of any kind, or directories of suites. Default: the suites of the package. */
  paths?: string[];
  /** Base of relative paths. Default: the working directory. */
  cwd?: string;
}

/** The problems of suites, manifests, expectations, configurations and so on; like the command `validate`. */
export const validate = ({ paths = [], cwd = process.cwd() }: ValidateRequest = {}): Promise<Validation> =>
  checkFiles(paths, cwd);

/** Which cases to list. A case must match all criteria. */
export interface ListRequest
  extends Pick<
    RunRequest,
    'suites' | 'suite' | 'tests' | 'tag' | 'requirement' | 'exclude' | 'testsFrom' | 'shard' | 'durations' | 'profile'
  > {
  /** Base of relative paths. Default: the working directory. */
  cwd?: string;
  /** Variables of a scheduler, for `shard: 'auto'`. Default: those of the process. */
  env?: NodeJS.ProcessEnv;
}

/** The cases that a run with this selection would run; like the command `list`. @throws UsageError, SuiteError */
export async function list({
  cwd = process.cwd(),
  env = process.env,
  shard,
  ...options
}: ListRequest = {}): Promise<ListedCase[]> {
  const asked = shardArgument(shard).shard;
  const part = asked === undefined ? {} : { shard: shardText(chosenShard(asked, env)) };
  const { cases } = await selectedCases({ ...options, ...part }, cwd);
  return cases.map(listed);
}

/** Suites whose coverage to show. */
export interface CoverageRequest {
  /** Files or directories with suites beside those of the package. */
  suites?: string[];
  /** Base of relative paths. Default: the working directory. */
  cwd?: string;
}

/** Which requirements have cases; like the command `coverage`. @throws SuiteError */
export const coverage = ({ suites, cwd = process.cwd() }: CoverageRequest = {}): Promise<Coverage> =>
  coverageOf(suites, cwd);
