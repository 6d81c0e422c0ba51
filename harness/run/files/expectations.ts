import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { display } from '../../base/display.ts';
import type { CommandEnvironment } from '../../base/environment.ts';
import { readTextFile } from '../../base/text-file.ts';
import { UsageError } from '../../base/usage-error.ts';
import type { Event } from '../../model/events.ts';
import type { Run } from '../../model/run.ts';
import { fixedTimeFrom, writeFileAtomically } from '../../report/index.ts';
import { type Collection, collect } from '../../suite/collections/collection.ts';
import { circumstancesOf, dayOf, type Expectations, reevaluated } from '../../verdict/expectations/apply.ts';
import type { ExpectationsFile } from '../../verdict/expectations/expectation.ts';
import { unmetCondition } from '../../verdict/expectations/standing.ts';
import { loadAllSuites } from '../suites/load-suites.ts';

/** Options about expectations; the same for `run` and `report`. */
export interface ExpectationOptions {
  expectations?: string[];
  updateExpectations?: boolean;
  /** Files or directories with further suites. */
  suites?: string[];
  /** Where the cases come from instead of suites. */
  collection?: Collection;
}

/** The expectations files named by the options; with `--update-expectations`, those that exist. @throws SuiteError, UsageError */
export async function expectationFiles(
  options: ExpectationOptions,
  { cwd }: CommandEnvironment,
): Promise<ExpectationsFile[]> {
  const paths = options.expectations ?? [];
  if (options.updateExpectations && paths.length !== 1) {
    throw new UsageError('--update-expectations: expected one --expectations FILE to create or update', {
      options: ['update-expectations', 'expectations'],
    });
  }
  // The file that a first run writes need not exist.
  const wanted = paths.filter((path) => !options.updateExpectations || existsSync(resolve(cwd, path)));
  if (wanted.length === 0) return [];
  const { readExpectations } = await import('../../verdict/expectations/load.ts');
  return wanted.map((path) => readExpectations(resolve(cwd, path), display(cwd, resolve(cwd, path))));
}

/** Ids of all existing cases, in the package and in the user's suites, whatever a run selects. */
export const allCaseIds = async ({ suites, collection }: ExpectationOptions, cwd: string): Promise<string[]> =>
  (collection ? await collect(collection, cwd) : await loadAllSuites(suites, cwd)).flatMap(({ cases }) =>
    cases.map(({ id }) => id),
  );

/**
 * The events of a log as if the run had had these expectations; unchanged without expectations.
 * @param run state after the events so far
 * @throws SuiteError, UsageError
 */
export async function withExpectations(
  options: ExpectationOptions,
  environment: CommandEnvironment,
  run: Run,
): Promise<(events: Iterable<Event>) => Iterable<Event>> {
  const files = await expectationFiles(options, environment);
  if (!options.expectations) return (events) => events;
  const known = await allCaseIds(options, environment.cwd);
  const ids = (): string[] => [...new Set([...known, ...run.cases.keys()])];
  const dated = ({ startedAt }: { startedAt: string }): Expectations => ({
    files,
    date: dayOf(startedAt, fixedTimeFrom(environment.env)),
  });
  return (events) => reevaluated(events, run, dated, ids);
}

/**
 * Updates the expectations file from a run, if the options ask for it.
 * @returns a line about the update, for the end of the output
 */
export async function updateExpectations(
  options: ExpectationOptions,
  environment: CommandEnvironment,
  run: Run,
): Promise<string | undefined> {
  const [path] = options.expectations ?? [];
  if (!options.updateExpectations || path === undefined) return undefined;
  const [{ parseExpectations }, { updatedExpectations }] = await Promise.all([
    import('../../verdict/expectations/load.ts'),
    import('../../report/updated-expectations.ts'),
  ]);
  const file = resolve(environment.cwd, path);
  const shown = display(environment.cwd, file);
  const old = existsSync(file) ? readTextFile(file) : undefined;
  const conditions = old === undefined ? {} : parseExpectations(old, shown).when;
  const why = unmetCondition(conditions, circumstancesOf(run, ''));
  if (why !== undefined) return `expectations: ${shown} is unchanged, it applies to other runs: ${why}`;
  const ids = [...new Set([...(await allCaseIds(options, environment.cwd)), ...run.cases.keys()])];
  const { text, added, changed, removed } = updatedExpectations(old, shown, run, ids);
  if (text === undefined) return `expectations: ${shown} is up to date`;
  writeFileAtomically(file, (write) => write(text));
  const todo = added > 0 ? '; give a reason at each TODO in it' : '';
  return `expectations: ${shown}: entries: ${added} added, ${changed} narrowed, ${removed} removed${todo}`;
}
