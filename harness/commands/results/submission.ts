import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtFiles } from '../../base/own-files.ts';
import { systemReason } from '../../base/system-reason.ts';
import { readTextFile } from '../../base/text-file.ts';
import { TOOL } from '../../base/tool.ts';
import type { Judgement, Waiver } from '../../model/judgement.ts';
import { foldRun, type Header, type Run } from '../../model/run.ts';
import { cleanLine } from '../../report/index.ts';
import { SuiteError } from '../../suite/problem.ts';
import { judgementLine } from '../../verdict/judgement-line.ts';
import { changedCases, suitesVersion } from '../../verdict/mustpass/check-definitions.ts';
import { foreignCode, foreignWords } from '../../verdict/mustpass/foreign-code.ts';
import { judge } from '../../verdict/mustpass/judge.ts';
import { type MustpassList, mustpassList } from '../../verdict/mustpass/list.ts';
import { type MustpassRelease, mustpassReleases } from '../../verdict/mustpass/release.ts';
import { CUT, isWhole } from '../../verdict/mustpass/resumed.ts';
import { parseStatement, type Statement } from '../../verdict/mustpass/statement.ts';
import { NOT_IN_SUBMISSIONS } from '../../verdict/mustpass/submission-options.ts';
import { parseWaivers, waiverFault, waiverOf } from '../../verdict/mustpass/waiver.ts';
import { UnreadableError } from '../verify/rules.ts';
import { verifyBundle } from '../verify/verify-bundle.ts';
import type { Attestation } from './attestation.ts';
import { type Bundled, casesOf, eventsOf, readBundled } from './bundled.ts';
import type { SubmissionFault } from './faults.ts';
import { PUBLIC_ROOT } from './public-root.ts';
import {
  ATTESTATION,
  BUNDLE,
  layoutFaults,
  nameOf,
  STATEMENT,
  type SubmissionDirectory,
  WAIVERS,
} from './submissions-directory.ts';

/** A submission whose evidence is valid. */
export interface Submission {
  directory: SubmissionDirectory;
  statement: Statement;
  waivers: Waiver[];
  run: Run;
  header: Header;
  /** Version of the suites whose definitions the run has. */
  suites: string;
  judgement: Judgement;
  /** SHA-256 of the bundle. */
  bundle: string;
  /** Who attests it; undefined: it is self-reported. */
  attestation: Attestation | undefined;
}

/** A submission, or why it is refused. */
export type Examined = { directory: SubmissionDirectory; faults: SubmissionFault[]; submission?: Submission };

/** How submissions are examined. */
export interface ExamineOptions {
  /** Whether a run that does not pass its list is refused. */
  passing?: boolean;
  /** The lists that were published; default: those of this package. */
  releases?: readonly MustpassRelease[];
  /** File with the keys of the authorities whose attestations count; default: that of Sigstore's public instance. */
  trustedRoot?: string | undefined;
}

/** Examines one submission. What cannot be relied on ends the examination: after an invalid bundle nothing else is examined. */
export async function examine(
  directory: SubmissionDirectory,
  { passing = false, releases = mustpassReleases(), trustedRoot = PUBLIC_ROOT }: ExamineOptions = {},
): Promise<Examined> {
  const faults: SubmissionFault[] = layoutFaults(directory);
  const add: AddFault = (kind, message) => void faults.push({ kind, message: cleanLine(message) });
  if (faults.length > 0) return { directory, faults };
  const statement = readStatement(directory, add);
  const path = join(directory.path, BUNDLE);
  const files = await readBundle(path, add);
  if (!statement || !files) return { directory, faults };
  checkBundledStatement(directory, files, add);
  const run = foldRun(eventsOf(files));
  const list = listOf(run, releases, add);
  if (!list) return { directory, faults };
  checkRun(run, statement, list, add);
  const suites = checkSuites(list, files, add);
  const waivers = readWaivers(directory, statement, list, run, add);
  const bundle = sha256(readFileSync(path));
  const log = sha256(files.find(({ role }) => role === 'log')!.text);
  const attestation = await readAttestation(directory, [bundle, log], trustedRoot, add);
  const judgement = judge(list, run, waivers);
  if (passing && !judgement.passes) add('not-passing', judgementLine(judgement));
  if (faults.length > 0 || suites === undefined) return { directory, faults };
  return {
    directory,
    faults,
    submission: { directory, statement, waivers, run, header: run.header!, suites, judgement, bundle, attestation },
  };
}

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');

async function readAttestation(
  { path }: SubmissionDirectory,
  digests: readonly string[],
  root: string,
  add: AddFault,
): Promise<Attestation | undefined> {
  const file = join(path, ATTESTATION);
  if (!existsSync(file)) return undefined;
  try {
    const { attestedBy } = await import('./attestation.ts');
    return attestedBy(readTextFile(file), digests, readTextFile(root));
  } catch (error) {
    add('attestation', `${ATTESTATION}: ${(error as Error).message}`);
    return undefined;
  }
}

type AddFault = (kind: SubmissionFault['kind'], message: string) => void;

function readStatement(directory: SubmissionDirectory, add: AddFault): Statement | undefined {
  const statement = read(join(directory.path, STATEMENT), STATEMENT, parseStatement, 'statement', add);
  if (!statement) return undefined;
  const { vendor, name, version } = statement.product;
  const named = `${vendor}/${name}/${version}`;
  if (named !== nameOf(directory))
    add('statement-place', `it is about ${named}, in the directory ${nameOf(directory)}`);
  return statement;
}

function read<T>(
  path: string,
  name: string,
  parse: (text: string, file: string) => T,
  kind: SubmissionFault['kind'],
  add: AddFault,
): T | undefined {
  try {
    return parse(readTextFile(path), name);
  } catch (error) {
    if (error instanceof SuiteError) for (const line of problemLines(error)) add(kind, line);
    else add(kind, `${name}: cannot be read: ${systemReason(error)}`);
    return undefined;
  }
}

const problemLines = ({ problems }: SuiteError): string[] =>
  problems.map(({ file, position, path, message, expected }) => {
    const place = position ? `${file}:${position.line}` : file;
    return `${[place, path, message].filter(Boolean).join(': ')}${expected === undefined ? '' : `; expected ${expected}`}`;
  });

async function readBundle(path: string, add: AddFault): Promise<Bundled[] | undefined> {
  try {
    const { violations } = await verifyBundle(path);
    for (const { rule, where, what } of violations) add(`bundle:${rule}`, `${where}: ${what}`);
    if (violations.length > 0) return undefined;
    return await readBundled(path);
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    add('bundle', error.message.replace(`${path}: `, ''));
    return undefined;
  }
}

function checkBundledStatement({ path }: SubmissionDirectory, files: readonly Bundled[], add: AddFault): void {
  const bundled = files.find(({ role }) => role === 'statement')?.text;
  if (bundled === undefined) add('statement-differs', 'the bundle has no statement: `bundle --statement` packs it');
  else if (plain(bundled) !== plain(readFileSync(join(path, STATEMENT), 'utf8')))
    add('statement-differs', 'the statement beside the bundle is not the one in it');
}

/** A checkout may have changed the ends of lines. */
const plain = (text: string): string => text.replaceAll('\r\n', '\n');

/** The list that a run says it is of. */
function listOf({ header }: Run, releases: readonly MustpassRelease[], add: AddFault): MustpassList | undefined {
  const said = header!.mustpass;
  if (!said) {
    add('no-submission', 'the run was made without --mustpass');
    return undefined;
  }
  const release = releases.find(({ version }) => version === said.version);
  if (!release || !Object.hasOwn(release.lists, said.profile)) {
    add('list-unknown', `there is no list ${said.version} for the profile ${said.profile}`);
    return undefined;
  }
  const list = mustpassList(said.version, said.profile, releases);
  if (said.sha256 !== list.sha256 || said.cases !== list.cases.length) {
    add(
      'list-differs',
      `the list of the run has ${said.cases} cases and sha256 ${said.sha256}; mustpass ${said.version} has ${list.cases.length} and ${list.sha256}`,
    );
  }
  return list;
}

function checkRun(run: Run, statement: Statement, list: MustpassList, add: AddFault): void {
  const header = run.header!;
  const { release } = list;
  const day = header.startedAt.slice(0, 10);
  if (release.acceptedUntil !== undefined && day > release.acceptedUntil)
    add(
      'list-expired',
      `mustpass ${release.version} was accepted until ${release.acceptedUntil}; the run began on ${day}`,
    );
  if (day < release.frozen)
    add('list-early', `mustpass ${release.version} was frozen on ${release.frozen}; the run began on ${day}`);
  if (header.tool.name !== TOOL.name || !release.tools.includes(header.tool.version))
    add(
      'tool',
      `${header.tool.name} ${header.tool.version} ran; mustpass ${release.version} accepts ${TOOL.name} ${release.tools.join(', ')}`,
    );
  const { mustpass, plugin } = statement;
  if (mustpass.version !== release.version || mustpass.profile !== list.profile) {
    const is = `${release.version} (profile ${list.profile})`;
    add(
      'claim-differs',
      `the statement claims mustpass ${mustpass.version} (profile ${mustpass.profile}); the run is of ${is}`,
    );
  }
  checkOptions(header, add);
  checkGround(run, add);
  if (run.plugins.length !== 1 || header.plugins.length !== 1)
    add('no-submission', `the run is of ${header.plugins.length} plugins`);
  const [tested] = run.plugins;
  if (tested && tested.sha256 !== plugin.sha256)
    add('plugin-differs', `the run is of a plugin with sha256 ${tested.sha256}; the statement says ${plugin.sha256}`);
  checkCases(run, list, add);
}

function checkOptions({ invocation, shard, numerics }: Header, add: AddFault): void {
  if (!invocation || shard) add('no-submission', 'the log is a shard, or merged of several runs');
  for (const [name, { flag, why }] of Object.entries(NOT_IN_SUBMISSIONS)) {
    const value = invocation?.options[name];
    if (value !== undefined && value !== false) add('options', `${flag} ${JSON.stringify(value)}: ${why}`);
  }
  if (numerics && (numerics.profile !== 'standard' || numerics.from !== 'default'))
    add('numerics', `the run has the profile ${numerics.profile} (${numerics.from}), not the default`);
}

/** What really ran: the tool as it was published, the same files from beginning to end, in one piece. */
function checkGround({ header, notes, resumed }: Run, add: AddFault): void {
  const { tool, host, environment, invocation } = header!;
  const built = tool.version === TOOL.version ? builtFiles()?.sha256 : undefined;
  if (built !== undefined && tool.sha256 !== built)
    add(
      'tool-altered',
      `the digest of its files is ${tool.sha256 ?? 'missing'}; that of this package, ${tool.version}, is ${built}`,
    );
  const sets = (invocation?.settings?.variables ?? []) as Record<string, string>[];
  const foreign = [environment ?? {}, ...sets].flatMap((variables) => foreignCode(variables));
  foreign.push(...foreignCode({}, host.nodeArgv));
  if (foreign.length > 0) add('environment', `code of others could change what the run says: ${foreignWords(foreign)}`);
  for (const { fact, message } of notes) if (fact?.kind === 'changed') add('files-changed', message);
  for (const one of resumed) if (!isWhole(one)) add('resumed', `at ${one.startedAt}: ${CUT}`);
}

function checkCases(run: Run, { cases, release: { renames = {} } }: MustpassList, add: AddFault): void {
  const listed = new Set(cases.map(({ id }) => renames[id] ?? id));
  const missing = [...listed].filter((id) => !run.cases.has(id));
  const extra = [...run.cases.keys()].filter((id) => !listed.has(id));
  if (missing.length > 0) add('cases-missing', `${missing.length} of ${listed.size}, such as ${missing[0]}`);
  if (extra.length > 0) add('cases-extra', `${extra.length}, such as ${extra[0]}`);
  const { footer, counts } = run;
  if (!footer || footer.interrupted || counts.notrun > 0)
    add('unfinished', `${footer?.interrupted ? 'it was interrupted; ' : ''}${counts.notrun} cases have no result`);
}

/** Compares what the suites in the bundle define with what was frozen. @returns their version */
function checkSuites(list: MustpassList, files: readonly Bundled[], add: AddFault): string | undefined {
  try {
    const cases = casesOf(files);
    const version = suitesVersion(list, cases);
    if (version === undefined) {
      const changed = changedCases(list, cases);
      add('suites-differ', `${changed.length} cases are defined otherwise, such as ${changed[0]}`);
    }
    return version;
  } catch (error) {
    if (!(error instanceof SuiteError)) throw error;
    for (const line of problemLines(error)) add('suites-differ', line);
    return undefined;
  }
}

function readWaivers(
  directory: SubmissionDirectory,
  statement: Statement,
  list: MustpassList,
  run: Run,
  add: AddFault,
): Waiver[] {
  const path = join(directory.path, WAIVERS);
  if (!existsSync(path)) return [];
  const waivers = read(path, WAIVERS, parseWaivers, 'waivers', add) ?? [];
  const failed = judge(list, run).cases.filter(({ standing }) => standing === 'failed');
  return waivers.filter((waiver) => {
    const what = `the waiver for ${waiver.cases.join(' ')}`;
    const fault = waiverFault(waiver, statement, run.header!.startedAt.slice(0, 10));
    if (fault) add(fault.kind, `${what}: ${fault.message}`);
    else if (!failed.some(({ id }) => waiverOf([waiver], id))) add('waiver-idle', `${what}: none of them failed`);
    return fault === undefined;
  });
}
