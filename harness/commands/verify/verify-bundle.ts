import { visibleLineEnds } from '../../base/display.ts';
import { type Entries, LIMITS, type Limits, readArchive } from './archive.ts';
import { readCases } from './cases.ts';
import { checkJunit } from './junit.ts';
import { lastFacts, type Outcome, outcomeOf } from './outcome.ts';
import { checkClock, type LogEvent, readLogBytes } from './read-log.ts';
import { checkJsonReport } from './report-json.ts';
import { type AddViolation, RULES, type Rule, UnreadableError, type Violation } from './rules.ts';
import { schemaFault } from './schemas.ts';

/** Result of a verification. */
export interface Verification {
  violations: Violation[];
  /** Number of violations that are not listed, by rule: MAX_LISTED of a rule are enough. */
  unlisted: Partial<Record<Rule, number>>;
  files: number;
  events: number;
  cases: number;
  exitCode: number | undefined;
}

const MAX_LISTED = 20;

/** Verifies a bundle, trusting nothing in it. @throws UnreadableError if there is nothing to verify */
export async function verifyBundle(path: string, limits: Limits = LIMITS): Promise<Verification> {
  try {
    return await verified(path, limits);
  } catch (error) {
    if (error instanceof UnreadableError) error.message = `${path}: ${error.message}`;
    throw error;
  }
}

async function verified(path: string, limits: Limits): Promise<Verification> {
  const found = new Map<Rule, Violation[]>();
  const unlisted: Verification['unlisted'] = {};
  const addViolation: AddViolation = (rule, where, what) => {
    const list = found.get(rule) ?? [];
    if (list.length < MAX_LISTED) list.push({ rule, where, what });
    else unlisted[rule] = (unlisted[rule] ?? 0) + 1;
    found.set(rule, list);
  };
  const entries = await readArchive(path, limits, addViolation);
  const content = entries['manifest.json']?.content;
  if (!content) throw new UnreadableError(`there is no manifest.json in it; expected what \`bundle\` writes`);
  const manifest = readManifest(content, addViolation);
  const { events, cases, outcome } = manifest ? checkContents(manifest, entries, addViolation) : NOTHING;
  return {
    violations: (Object.keys(RULES) as Rule[]).flatMap((rule) => found.get(rule) ?? []),
    unlisted,
    files: Object.keys(entries).length,
    events,
    cases,
    exitCode: outcome?.exitCode,
  };
}

const NOTHING = { events: 0, cases: 0, outcome: undefined };

/** Members that have been validated against the schema. */
type Manifest = Omit<LogEvent, 'type' | 'line'>;

function readManifest(content: Buffer, addViolation: AddViolation): Manifest | undefined {
  let manifest: Manifest;
  try {
    manifest = JSON.parse(content.toString('utf8'));
  } catch (error) {
    throw new UnreadableError(`its manifest.json is not JSON: ${visibleLineEnds((error as Error).message)}`);
  }
  const version = String(manifest?.version);
  if (/^\d+\.\d+$/.test(version) && !version.startsWith('1.')) {
    throw new UnreadableError(`a bundle of version ${version}; this program verifies 1.x`);
  }
  const fault = schemaFault('bundle.schema.json', manifest);
  if (fault === undefined) return manifest;
  addViolation('manifest-schema', 'manifest.json', fault);
  return undefined;
}

interface Listed {
  path: string;
  role: string;
  of?: string;
  bytes: number;
  sha256: string;
}

function checkContents(
  manifest: Manifest,
  entries: Entries,
  addViolation: AddViolation,
): { events: number; cases: number; outcome: Outcome | undefined } {
  const files: Listed[] = manifest.files;
  checkFiles(files, entries, addViolation);
  const fileOf = (role: string, of?: string): Listed | undefined =>
    files.find((file) => file.role === role && (of === undefined || file.of === of));
  const contentOf = (file: Listed | undefined): Buffer | undefined => {
    const entry = file && entries[file.path];
    // Files that are not examined are not verified, whatever the manifest calls them.
    if (entry && !entry.content)
      addViolation('manifest-files', file.path, 'it is not a plugin, and plugin/ is only for plugins');
    return entry?.content;
  };
  const log = fileOf('log');
  const bytes = contentOf(log);
  if (!log || !bytes) return NOTHING;
  const events = readLogBytes(bytes, log.path, addViolation);
  checkClock(events, log.path, addViolation);
  const cases = readCases(events, log.path, addViolation);
  const outcome = outcomeOf(events, cases);
  checkFooter(events, outcome, log.path, addViolation);
  checkRun(manifest, events, addViolation);
  checkCopies(files, events, addViolation);
  const json = fileOf('report', 'json');
  const jsonText = contentOf(json);
  if (json && jsonText) checkJsonReport(jsonText, json.path, events, cases, outcome, addViolation);
  const junit = fileOf('report', 'junit');
  const junitText = contentOf(junit);
  if (junit && junitText) checkJunit(junitText, junit.path, cases, outcome, addViolation);
  return { events: events.length, cases: cases.size, outcome };
}

function checkFiles(files: readonly Listed[], entries: Entries, addViolation: AddViolation): void {
  const listed = new Set<string>();
  for (const { path, bytes, sha256 } of files) {
    if (listed.has(path)) addViolation('manifest-files', path, 'it is listed twice');
    listed.add(path);
    const entry = entries[path];
    if (!entry) addViolation('manifest-files', path, 'it is listed but not in the bundle');
    else if (entry.bytes !== bytes || entry.sha256 !== sha256) {
      const is = `it has ${entry.bytes} bytes and sha256 ${entry.sha256}`;
      addViolation('file-hash', path, `${is}, the manifest says ${bytes} and ${sha256}`);
    }
  }
  for (const path of Object.keys(entries)) {
    if (path !== 'manifest.json' && !listed.has(path))
      addViolation('manifest-files', path, 'it is in the bundle but not listed');
  }
  for (const [role, of] of [['log'], ['report', 'json'], ['report', 'junit']] as const) {
    const count = files.filter((file) => file.role === role && (of === undefined || file.of === of)).length;
    if (count !== 1)
      addViolation('manifest-files', 'manifest.json', `it lists ${count} files as ${of ?? role}, expected one`);
  }
}

function checkFooter(events: readonly LogEvent[], outcome: Outcome, name: string, addViolation: AddViolation): void {
  const footer = events.at(-1);
  if (footer?.type !== 'footer') return;
  const where = `${name}:${footer.line}`;
  for (const [status, is] of Object.entries(outcome.counts)) {
    const said: number = footer.counts[status] ?? 0;
    if (said !== is) addViolation('counts', where, `it says ${said} ${status}, there are ${is}`);
  }
  if (footer.exitCode !== outcome.exitCode) {
    addViolation('exit-code', where, `it says ${footer.exitCode}; ${outcome.reason}, which is ${outcome.exitCode}`);
  }
}

/** Facts that the manifest repeats from the log, so that it can be read alone. */
function checkRun(manifest: Manifest, events: readonly LogEvent[], addViolation: AddViolation): void {
  const header = events[0];
  const footer = events.at(-1);
  if (header?.type !== 'header' || footer?.type !== 'footer') return;
  const { exitCode, verdict, counts, finishedAt } = footer;
  const log: Record<string, unknown> = {
    tool: header.tool,
    host: header.host,
    environment: header.environment ?? {},
    plugins: lastFacts(events).map(({ name, path, sha256, sizeBytes, buildId }) => ({
      ...{ name, path, sha256, sizeBytes, buildId },
    })),
    run: { startedAt: header.startedAt, finishedAt, profile: header.profile, exitCode, verdict, counts },
  };
  for (const [member, value] of Object.entries(log)) {
    if (canonical(manifest[member]) !== canonical(value)) {
      addViolation('manifest-run', 'manifest.json', `its ${member} is not that of the log`);
    }
  }
}

/** JSON with sorted members. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  ) ?? 'nothing';

/** Compares suites, expectations and plugins with the hashes in the log. */
function checkCopies(files: readonly Listed[], events: readonly LogEvent[], addViolation: AddViolation): void {
  const check = (rule: Rule, role: string, expected: ReadonlyMap<string, string>, required: boolean): void => {
    for (const [of, sha256] of expected) {
      const copy = files.find((file) => file.role === role && file.of === of);
      if (!copy && required) addViolation(rule, of, 'it is not in the bundle');
      if (copy && copy.sha256 !== sha256)
        addViolation(rule, copy.path, `its sha256 is ${copy.sha256}, the log says ${sha256} of ${of}`);
    }
    for (const { path, role: is, of } of files) {
      if (is === role && !expected.has(String(of))) addViolation(rule, path, `the log knows no ${of ?? 'such file'}`);
    }
  };
  const hashes = (list: readonly LogEvent[], key: 'suite' | 'file' | 'name'): Map<string, string> =>
    new Map(list.map((one) => [one[key], one.sha256]));
  const suites = events.filter(({ type }) => type === 'suite');
  check('suite-hash', 'suite', hashes(suites, 'suite'), true);
  check('expectations-hash', 'expectations', hashes(events[0]?.expectations?.files ?? [], 'file'), true);
  check('plugin-hash', 'plugin', hashes(lastFacts(events), 'name'), false);
}
