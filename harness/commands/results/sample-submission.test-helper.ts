import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { builtFiles } from '../../base/own-files.ts';
import { packagePath } from '../../base/paths.ts';
import { TOOL } from '../../base/tool.ts';
import type { CaseResult } from '../../model/case-result.ts';
import type { Event } from '../../model/events.ts';
import { foldRun, type Header } from '../../model/run.ts';
import { facts, footer, header, result } from '../../model/sample-log.test-helper.ts';
import { EventLog } from '../../report/index.ts';
import { writeJson } from '../../report/json.ts';
import { writeJunit } from '../../report/junit.ts';
import { suiteEvents } from '../../run/plan/plan-events.ts';
import { loadAllSuites } from '../../run/suites/load-suites.ts';
import { mustpassList } from '../../verdict/mustpass/list.ts';
import { mustpassReleases } from '../../verdict/mustpass/release.ts';
import type { Statement } from '../../verdict/mustpass/statement.ts';
import { verdict } from '../../verdict/verdict.ts';
import { type BundledFile, bundleManifest } from '../bundle/manifest.ts';
import { writeZip } from '../bundle/write-zip.ts';

const RELEASE = mustpassReleases()[0]!;
/** The smallest list. */
const LIST = mustpassList(RELEASE.version, 'no-device');
const DAY = RELEASE.frozen;
const SUITES = await loadAllSuites();

/** Ids of the cases of a sample. */
export const SAMPLE_IDS: readonly string[] = LIST.cases.map(({ id }) => id);

/** Another case of their suites. */
export const EXTRA_ID = SUITES.flatMap(({ cases }) =>
  cases.some(({ id }) => SAMPLE_IDS.includes(id)) ? cases : [],
).find(({ id }) => !SAMPLE_IDS.includes(id))!.id;

/** How a sample differs from a valid one. What is derived from the log is made again, as a careful forger would. */
export interface Changes {
  /** Directories below the root; default: those of the statement. */
  place?: string;
  statement?: (valid: Statement) => object;
  /** The statement in the bundle, if it is another. */
  bundled?: (valid: Statement) => object;
  /** Text of waivers.yaml. */
  waivers?: string;
  header?: Partial<Header>;
  options?: Record<string, unknown>;
  /** Ids of the cases that are planned. */
  planned?: readonly string[];
  /** Texts of suites, by id. */
  suites?: Record<string, (text: string) => string>;
  /** Text of suite-data/requirements.yaml. */
  requirements?: (text: string) => string;
  results?: Record<string, CaseResult | undefined>;
  plugin?: Parameters<typeof facts>[0];
  /** Events before the first case. */
  before?: readonly Event[];
  /** What the log has after some of the cases. */
  between?: { after: number; event: Event };
  /** The bytes of the log, after it was sealed. */
  log?: (text: string) => string;
  /** After everything else: further entries, or others. */
  files?: (files: File[]) => File[];
  interrupted?: boolean;
}

interface File extends Pick<BundledFile, 'path' | 'role' | 'of'> {
  content: Buffer;
}

/** A waiver for the sample, as text of a file. */
export const waiverText = (more: object = {}): string =>
  stringify({
    waivers: [
      {
        url: 'https://example.com/waivers/1',
        product: 'example/foo',
        versions: '1.*',
        cases: [SAMPLE_IDS[0]],
        reason: 'an example',
        expires: '2999-12-31',
        ...more,
      },
    ],
  });

/** A finding of a violated MUST. */
export const FAILED = result('fail', {
  findings: [{ type: 'pjrt.WrongValue', level: 'must', message: 'it is <wrong> & "bad"', line: 1 }],
});

/** Writes a submission below a directory of results. @returns its directory */
export async function sampleSubmission(root: string, changes: Changes = {}): Promise<string> {
  const valid: Statement = {
    product: { vendor: 'example', name: 'foo', version: '1.2.3', url: 'https://example.com/foo' },
    plugin: { file: 'pjrt-plugin-foo.so', sha256: 'ab'.repeat(32) },
    mustpass: { version: RELEASE.version, profile: 'no-device' },
    hardware: 'none',
    driver: 'none',
    contact: 'foo@example.com',
  };
  const statement = (changes.statement?.(valid) ?? valid) as Statement;
  const product = statement.product ?? valid.product;
  const directory = join(root, changes.place ?? `${product.vendor}/${product.name}/${product.version}`);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'statement.yaml'), stringify(statement));
  if (changes.waivers !== undefined) writeFileSync(join(directory, 'waivers.yaml'), changes.waivers);
  const events = eventsOf(changes);
  const bundled = changes.bundled?.(valid) ?? statement;
  const files = filesOf(events, changes, Buffer.from(stringify(bundled)));
  const listed = files.map(({ content, ...file }) => ({ ...file, bytes: content.length, sha256: sha256(content) }));
  const run = foldRun(events);
  const manifest = bundleManifest(run.header!, run.footer!, run.plugins, listed);
  await writeZip(join(directory, 'bundle.zip'), [
    { path: 'manifest.json', from: Buffer.from(JSON.stringify(manifest)) },
    ...files.map(({ path, content }) => ({ path, from: content })),
  ]);
  return directory;
}

const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');

function eventsOf(changes: Changes): Event[] {
  const planned = new Set(changes.planned ?? SAMPLE_IDS);
  const cases = SUITES.flatMap((suite) => suite.cases).filter(({ id }) => planned.has(id));
  const plan = [...suiteEvents(SUITES, cases, packagePath(), () => false)].map((suite) => ({
    ...suite,
    sha256: sha256(suiteText(suite.suite, changes)),
  }));
  const options = { plugin: ['./foo.so'], binding: 'now', fetch: true, ...changes.options };
  const body: Event[] = [
    header({
      startedAt: `${DAY}T12:00:00.000Z`,
      tool: { ...TOOL, sha256: builtFiles()?.sha256 },
      profile: 'no-device',
      invocation: { cwd: '/tmp', options },
      mustpass: { version: RELEASE.version, profile: LIST.profile, cases: LIST.cases.length, sha256: LIST.sha256 },
      ...changes.header,
    }),
    ...plan,
    { type: 'worker', worker: 1, what: 'start', pid: 4242, atMs: 50 },
    { type: 'plugin', plugin: facts(changes.plugin) },
    ...(changes.before ?? []),
  ];
  cases.forEach(({ id }, index) => {
    if (changes.between?.after === index) body.push(changes.between.event);
    const given = changes.results && id in changes.results ? changes.results[id] : result('pass');
    if (!given) return;
    body.push({ type: 'start', id, worker: 1, atMs: 100 + index });
    body.push({ type: 'case', id, worker: 1, atMs: 100 + index, result: given });
  });
  const run = foldRun(body);
  const { interrupted = false } = changes;
  const { exitCode, line } = verdict(run, { ending: interrupted ? 'interrupted' : 'complete' });
  const finishedAt = `${DAY}T12:00:03.000Z`;
  return [...body, footer({ counts: run.counts, exitCode, verdict: line, interrupted, finishedAt })];
}

function suiteText(suite: string, { suites }: Changes): string {
  const text = readFileSync(packagePath('suites', `${suite}.yaml`), 'utf8');
  return suites?.[suite]?.(text) ?? text;
}

function filesOf(events: readonly Event[], changes: Changes, statement: Buffer): File[] {
  const run = foldRun(events);
  let junit = '';
  writeJunit(run, (chunk) => (junit += chunk));
  let json = '';
  writeJson(run, (chunk) => (json += chunk));
  const data = (name: string): string => readFileSync(packagePath('suites', name), 'utf8');
  const log = sealed(events);
  const files: File[] = [
    { path: 'events.jsonl', role: 'log', content: Buffer.from(changes.log?.(log) ?? log) },
    { path: 'reports/junit.xml', role: 'report', of: 'junit', content: Buffer.from(junit) },
    { path: 'reports/report.json', role: 'report', of: 'json', content: Buffer.from(json) },
    ...run.suites.map(({ suite }): File => {
      const content = Buffer.from(suiteText(suite, changes));
      return { path: `suites/${suite}.yaml`, role: 'suite', of: suite, content };
    }),
    {
      path: 'suite-data/requirements.yaml',
      role: 'suite-data',
      content: Buffer.from(changes.requirements?.(data('requirements.yaml')) ?? data('requirements.yaml')),
    },
    { path: 'suite-data/sets.yaml', role: 'suite-data', content: Buffer.from(data('sets.yaml')) },
    { path: 'statement.yaml', role: 'statement', content: statement },
  ];
  return changes.files?.(files) ?? files;
}

function sealed(events: readonly Event[]): string {
  const directory = mkdtempSync(join(tmpdir(), 'pjrt-log-'));
  try {
    const log = new EventLog(join(directory, 'events.jsonl'));
    for (const event of events) log.write(event);
    log.close();
    return readFileSync(join(directory, 'events.jsonl'), 'utf8');
  } finally {
    rmSync(directory, { recursive: true });
  }
}
