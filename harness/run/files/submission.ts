import { join, resolve } from 'node:path';
import { asJson } from '../../base/as-json.ts';
import { display } from '../../base/display.ts';
import type { CommandEnvironment } from '../../base/environment.ts';

import { UsageError } from '../../base/usage-error.ts';
import type { Event } from '../../model/events.ts';
import type { Judgement, Waiver } from '../../model/judgement.ts';
import type { ResolvedPlugin } from '../../model/plugin.ts';
import type { Run } from '../../model/run.ts';
import { writeFileAtomically } from '../../report/index.ts';
import { textOf } from '../../suite/text-of.ts';
import type { ExpectationsFile } from '../../verdict/expectations/expectation.ts';
import { judgementLine } from '../../verdict/judgement-line.ts';
import { judge, recorded } from '../../verdict/mustpass/judge.ts';
import type { MustpassList } from '../../verdict/mustpass/list.ts';
import { parseStatement, type Statement } from '../../verdict/mustpass/statement.ts';
import { NOT_IN_SUBMISSIONS } from '../../verdict/mustpass/submission-options.ts';
import { parseWaivers, waiverFault } from '../../verdict/mustpass/waiver.ts';
import { waiverExpectations } from './waiver-expectations.ts';

/** Options of a run for a submission to the conformance programme (docs/conformance-programme.md). */
export interface SubmissionOptions {
  mustpass?: string;
  statement?: string;
  waivers?: string;
}

/** The library of a plugin. */
type Tested = Pick<ResolvedPlugin, 'library' | 'sha256'>;

/** A run of a mustpass list. */
export interface Submission {
  /** What the header of the log says about it. */
  header: NonNullable<Extract<Event, { type: 'header' }>['mustpass']>;
  /** Digest of the files of this program. */
  toolSha256?: string | undefined;
  /** The waivers, as expectations of the run. */
  expected: ExpectationsFile[];
  /** What a run that has come to its end says about the list, for the log. */
  event(run: Run): Extract<Event, { type: 'mustpass' }>;
  /** Prints the sentence about a run, and writes mustpass.json. */
  publish(run: Run): void;
}

/**
 * Reads the statement and the waivers before the run starts, so that a fault in one costs no run.
 * @param directory where mustpass.json is written
 * @throws UsageError for options that a submission may not have, SuiteError for faults in the files
 */
export function submissionOf(
  options: SubmissionOptions & Record<string, unknown>,
  list: MustpassList | undefined,
  plugins: readonly Tested[],
  directory: string,
  { cwd, stdout }: CommandEnvironment,
): Submission | undefined {
  if (!list) {
    const alone = (['statement', 'waivers'] as const).find((name) => options[name] !== undefined);
    if (alone) throw new UsageError(`--${alone} needs --mustpass with the version of a list`, { options: [alone] });
    return undefined;
  }
  refuseOptions(options);
  if (plugins.length !== 1)
    throw new UsageError('--mustpass: a submission is about one plugin; give --plugin once', { options: ['plugin'] });
  const statement = options.statement === undefined ? undefined : readStatement(options.statement, cwd);
  if (statement) checkStatement(statement, options.statement!, list, plugins[0]!);
  const { waivers, expected } = waiversFor(options.waivers, statement, cwd);
  const { release, profile, cases, sha256 } = list;
  const judged = (run: Run): Judgement => judge(list, run, waivers);
  return {
    header: { version: release.version, profile, cases: cases.length, sha256 },
    expected,
    event: (run) => ({ type: 'mustpass', judgement: recorded(judged(run)) }),
    publish(run) {
      const judgement = judged(run);
      const file = join(directory, 'mustpass.json');
      writeFileAtomically(file, (write) => write(asJson(judgement)));
      stdout.write(`${judgementLine(judgement)}\n  mustpass  ${display(cwd, file)}\n`);
    },
  };
}

/** @throws UsageError */
function refuseOptions(options: Readonly<Record<string, unknown>>): void {
  for (const [name, { flag, why }] of Object.entries(NOT_IN_SUBMISSIONS)) {
    const value = options[name];
    if (value === undefined || value === false) continue;
    throw new UsageError(`--mustpass with ${flag}: ${why}; omit it`, { options: [flag.slice(2)] });
  }
}

/** Reads a statement as the user names it. @throws SuiteError */
export const readStatement = (file: string, cwd: string): Statement =>
  parseStatement(textOf(resolve(cwd, file), file, { help: 'docs/conformance-programme.md has one to copy' }), file);

/** Reads waivers as the user names the file. @throws SuiteError */
export function readWaivers(file: string, cwd: string): { text: string; waivers: Waiver[] } {
  const text = textOf(resolve(cwd, file), file);
  return { text, waivers: parseWaivers(text, file) };
}

/** The waivers of a product, each of which must apply to it today. @throws UsageError, SuiteError */
function waiversFor(
  file: string | undefined,
  statement: Statement | undefined,
  cwd: string,
): { waivers: Waiver[]; expected: ExpectationsFile[] } {
  if (file === undefined) return { waivers: [], expected: [] };
  if (!statement)
    throw new UsageError('--waivers needs --statement: waivers are for one product', { options: ['waivers'] });
  const { text, waivers } = readWaivers(file, cwd);
  const today = new Date().toISOString().slice(0, 10);
  for (const waiver of waivers) {
    const fault = waiverFault(waiver, statement, today);
    if (fault)
      throw new UsageError(
        `--waivers ${file}:${waiver.line}: the waiver for ${waiver.cases.join(' ')}: ${fault.message}`,
      );
  }
  return { waivers, expected: [waiverExpectations(display(cwd, resolve(cwd, file)), text, waivers)] };
}

/** A statement must be about this plugin and this list. @throws UsageError */
export function checkStatement(
  { plugin, mustpass }: Statement,
  file: string,
  list: Pick<MustpassList, 'profile'> & { release: { version: string } },
  tested: Tested,
): void {
  const { profile, release } = list;
  if (plugin.sha256 !== tested.sha256)
    throw new UsageError(`${file}: plugin.sha256 is ${plugin.sha256}; ${tested.library} has ${tested.sha256}`);
  if (mustpass.version !== release.version || mustpass.profile !== profile)
    throw new UsageError(
      `${file}: it is for mustpass ${mustpass.version} (profile ${mustpass.profile}), and this run is of ${release.version} (profile ${profile})`,
    );
}
