import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { packagePath } from '../../base/paths.ts';
import type { Event } from '../../model/events.ts';
import { footer, header, result } from '../../model/sample-log.test-helper.ts';
import { mustpassReleases } from '../../verdict/mustpass/release.ts';
import { checkResults } from './check.ts';
import { FAULTS } from './faults.ts';
import { formatResults } from './format.ts';
import {
  type Changes,
  EXTRA_ID,
  FAILED,
  SAMPLE_IDS,
  sampleSubmission,
  waiverText,
} from './sample-submission.test-helper.ts';
import type { ExamineOptions } from './submission.ts';

const directory = mkdtempSync(join(tmpdir(), 'pjrt-results-'));
afterAll(() => rmSync(directory, { recursive: true }));
let roots = 0;
const newRoot = (): string => join(directory, String(roots++));

const [ID, OTHER] = SAMPLE_IDS as [string, string];
const SUITE = ID.split(':', 1)[0]!;

/** The faults of one submission. */
async function faultsOf(changes: Changes, options: ExamineOptions = {}): Promise<string[]> {
  const root = newRoot();
  await sampleSubmission(root, changes);
  const examined = await checkResults(root, root, options);
  return examined.flatMap(({ faults }) => faults.map(({ kind }) => kind));
}

test('a valid submission is accepted, with its verdict', async () => {
  const root = newRoot();
  await sampleSubmission(root);
  const examined = await checkResults(root, 'results');
  expect(formatResults(examined)).toBe(
    `✓ example/foo/1.2.3: passes mustpass 1.0 (profile no-device, API 0.90): ${SAMPLE_IDS.length} of ${SAMPLE_IDS.length}\n1 submission: the evidence of each is valid\n`,
  );
});

test('a run that does not pass is a result too, unless only passing ones are wanted', async () => {
  const failing: Changes = { results: { [ID]: FAILED } };
  expect(await faultsOf(failing)).toEqual([]);
  expect(await faultsOf(failing, { passing: true })).toEqual(['not-passing']);
  expect(await faultsOf({ ...failing, waivers: waiverText() }, { passing: true })).toEqual([]);
});

const resume: Event = {
  type: 'resume',
  startedAt: `${mustpassReleases()[0]!.frozen}T12:00:01.000Z`,
  argv: [],
  atMs: 102,
  after: 'cut-off',
  tornBytes: 0,
};
const otherFooter = {
  ...(footer() as Extract<Event, { type: 'footer' }>),
  seal: { lines: 9, sha256: '00'.repeat(32) },
};

test('a run that was resumed before its first case has lost nothing', async () => {
  expect(await faultsOf({ before: [{ ...resume, atMs: 60 }] })).toEqual([]);
});

const day = (text: string): string => `${text}T12:00:00.000Z`;
const expired = mustpassReleases().map((release) => ({ ...release, acceptedUntil: '2020-01-01' }));

/** At least one way to violate each rule, and the options with which it is seen. */
const TAMPERINGS: readonly [kind: string, what: string, changes: Changes, options?: ExamineOptions][] = [
  ['statement', 'a statement without hardware', { statement: ({ hardware: _, ...rest }) => rest }],
  [
    'statement',
    'a version that is a number',
    { statement: (s) => ({ ...s, mustpass: { version: 1.1, profile: 'no-device' } }) },
  ],
  ['statement-place', 'the directory of another product', { place: 'example/bar/1.2.3' }],
  ['statement-differs', 'another statement beside the bundle', { bundled: (s) => ({ ...s, driver: 'other' }) }],
  [
    'statement-differs',
    'no statement in the bundle',
    { files: (files) => files.filter((f) => f.role !== 'statement') },
  ],
  ['bundle:log-seal', 'an edited log', { log: (text) => text.replace('"durationMs":4', '"durationMs":3') }],
  ['bundle:suite-hash', 'a suite that is not the one in the log', { files: withOtherSuite }],
  ['no-submission', 'a run without --mustpass', { header: { mustpass: undefined } }],
  ['no-submission', 'a shard', { header: { shard: { index: 1, count: 2 } } }],
  ['no-submission', 'a merged log', { header: { invocation: undefined } }],
  [
    'no-submission',
    'two plugins',
    {
      header: {
        plugins: [
          { name: 'a', path: 'a' },
          { name: 'b', path: 'b' },
        ],
      },
    },
  ],
  ['options', 'a selection', { options: { tests: ['load/*'] } }],
  ['options', 'an excluded case', { options: { exclude: ['load/*'] } }],
  ['options', 'failures accepted', { options: { acceptKnown: true } }],
  ['options', 'failures repeated', { options: { rerunFailed: 3 } }],
  ['options', 'an older caller', { options: { asApi: { minor: 60 } } }],
  ['numerics', 'the accuracy of a manifest', { header: { numerics: { profile: 'relaxed', from: 'manifest' } } }],
  ['list-unknown', 'a list that there is not', { header: { mustpass: listed({ version: '0.9' }) } }],
  ['list-differs', 'a list with another hash', { header: { mustpass: listed({ sha256: '00'.repeat(32) }) } }],
  ['list-differs', 'a list with fewer cases', { header: { mustpass: listed({ cases: 3 }) } }],
  ['list-expired', 'a list that is no longer accepted', {}, { releases: expired }],
  ['list-early', 'a run before the list', { header: { startedAt: day('2020-01-01') } }],
  [
    'suites-differ',
    'a suite that asks for less',
    { suites: { [SUITE]: (text) => text.replaceAll('steps:', 'steps: []\n    tags:') } },
  ],
  [
    'suites-differ',
    'a suite without the case',
    { suites: { [SUITE]: (text) => text.slice(0, text.indexOf('cases:')) } },
  ],
  [
    'suites-differ',
    'requirements that are lower',
    { requirements: (text) => text.replaceAll('level: must', 'level: should') },
  ],
  ['tool', 'an unknown version of the tool', { header: { tool: { name: 'pjrt-conformance', version: '0.0.9' } } }],
  [
    'tool-altered',
    'other files of the tool',
    { header: { tool: { name: 'pjrt-conformance', version: '0.1.0', sha256: '00'.repeat(32) } } },
  ],
  ['tool-altered', 'no digest', { header: { tool: { name: 'pjrt-conformance', version: '0.1.0' } } }],
  ['environment', 'a library that is loaded first', { header: { environment: { LD_PRELOAD: '/tmp/nice.so' } } }],
  [
    'environment',
    'a module that is loaded first',
    { header: { environment: { NODE_OPTIONS: '--require=./nice.cjs' } } },
  ],
  [
    'environment',
    'an option of Node',
    { header: { host: { ...header().host, nodeArgv: ['--import', './nice.mjs'] } } },
  ],
  [
    'environment',
    'a variable of the manifest',
    {
      header: {
        invocation: {
          cwd: '/',
          options: { plugin: ['./foo.so'], binding: 'now', fetch: true },
          settings: { variables: [{ NODE_OPTIONS: '-r ./nice.cjs' }] },
        },
      },
    },
  ],
  [
    'files-changed',
    'a plugin that was exchanged',
    {
      before: [
        {
          type: 'note',
          level: 'warning',
          message: 'foo.so changed during the run',
          breach: true,
          fact: { kind: 'changed', path: 'foo.so' },
        },
      ],
    },
  ],
  ['resumed', 'a log that was cut', { between: { after: 3, event: resume } }],
  [
    'bundle:log-seal',
    'the footer of another log',
    { between: { after: 3, event: { ...resume, footer: otherFooter } } },
  ],
  ['cases-missing', 'a removed case', { planned: SAMPLE_IDS.slice(1) }],
  ['cases-extra', 'a case that is not in the list', { planned: [...SAMPLE_IDS, EXTRA_ID] }],
  ['unfinished', 'a result removed from the log, which is sealed again', { results: { [ID]: undefined } }],
  ['unfinished', 'an interrupted run', { interrupted: true, results: { [ID]: undefined } }],
  ['plugin-differs', 'another plugin', { plugin: { sha256: 'cd'.repeat(32) } }],
  [
    'claim-differs',
    'a claim of another profile',
    { statement: (s) => ({ ...s, mustpass: { version: '1.0', profile: 'full' } }) },
  ],
  ['waivers', 'a waiver without a link', { results: { [ID]: FAILED }, waivers: waiverText({ url: 'none' }) }],
  [
    'waiver-product',
    'a waiver for another product',
    { results: { [ID]: FAILED }, waivers: waiverText({ product: 'example/bar' }) },
  ],
  [
    'waiver-product',
    'a waiver for another version',
    { results: { [ID]: FAILED }, waivers: waiverText({ versions: '2.*' }) },
  ],
  [
    'waiver-expired',
    'a waiver that has expired',
    { results: { [ID]: FAILED }, waivers: waiverText({ expires: '2020-01-01' }) },
  ],
  ['waiver-idle', 'a waiver for a case that passes', { results: { [OTHER]: FAILED }, waivers: waiverText() }],
];

function listed(more: object): { version: string; profile: string; cases: number; sha256: string } {
  const [release] = mustpassReleases();
  return { version: release!.version, profile: 'no-device', ...release!.lists['no-device']!, ...more };
}

function withOtherSuite(files: Parameters<NonNullable<Changes['files']>>[0]): typeof files {
  return files.map((file) =>
    file.of === SUITE ? { ...file, content: Buffer.from(`${file.content}# changed\n`) } : file,
  );
}

describe('a submission that was tampered with is refused, by name', () => {
  test.each(TAMPERINGS)('%s: %s', async (kind, _, changes, options) => {
    expect(await faultsOf(changes, options)).toContain(kind);
  });

  test('layout: a file that does not belong there, or is missing', async () => {
    const root = newRoot();
    const place = await sampleSubmission(root);
    writeFileSync(join(place, 'results.txt'), '');
    rmSync(join(place, 'statement.yaml'));
    const [examined] = await checkResults(root, root);
    expect(examined!.faults).toEqual([
      { kind: 'layout', message: 'there is no statement.yaml' },
      { kind: 'layout', message: '"results.txt" does not belong here' },
    ]);
  });

  test('attestation: one of another bundle', async () => {
    const root = newRoot();
    const place = await sampleSubmission(root);
    const fixtures = packagePath('fixtures', 'attestation');
    cpSync(join(fixtures, 'bundle.zip.sigstore.json'), join(place, 'bundle.zip.sigstore.json'));
    const own = await checkResults(root, root, { trustedRoot: join(fixtures, 'trusted-root.json') });
    const said = (message: string) => [{ kind: 'attestation', message: `bundle.zip.sigstore.json: ${message}` }];
    expect(own[0]!.faults).toEqual(said('it is about other files than bundle.zip and the log in it'));
    const [examined] = await checkResults(root, root);
    expect(examined!.faults).toEqual([{ kind: 'attestation', message: expect.any(String) }]);
  });

  test('duplicate: the run of another submission', async () => {
    const root = newRoot();
    await sampleSubmission(root);
    const place = await sampleSubmission(root, {
      statement: (s) => ({ ...s, product: { ...s.product, version: '1.2.4' } }),
    });
    const examined = await checkResults(root, root);
    expect(examined.map(({ faults }) => faults.map(({ kind }) => kind))).toEqual([[], ['duplicate']]);
    expect(place).toContain('1.2.4');
  });

  test('bundle: what is no archive', async () => {
    const root = newRoot();
    const place = await sampleSubmission(root);
    writeFileSync(join(place, 'bundle.zip'), 'no archive');
    const [examined] = await checkResults(root, root);
    expect(examined!.faults).toEqual([{ kind: 'bundle', message: expect.stringMatching(/^not a readable bundle: /) }]);
  });

  test('one of these violates each rule', () => {
    const invalid = new Set(TAMPERINGS.map(([kind]) => kind));
    const elsewhere = ['attestation', 'layout', 'bundle', 'duplicate', 'not-passing'];
    expect(Object.keys(FAULTS).filter((kind) => !invalid.has(kind) && !elsewhere.includes(kind))).toEqual([]);
  });
});

test('an option that is off is as if it had not been given', async () => {
  expect(await faultsOf({ options: { acceptKnown: false } })).toEqual([]);
});

test('one submission can be checked alone; a directory without any is an error', async () => {
  const root = newRoot();
  const place = await sampleSubmission(root);
  expect((await checkResults(place, place)).map(({ faults }) => faults)).toEqual([[]]);
  await expect(checkResults(join(root, 'none'), 'none')).rejects.toThrow('none: there is no such directory');
  await expect(checkResults(join(root, 'example', 'foo'), 'foo')).rejects.toThrow('there is no submission in it');
  cpSync(place, join(root, '.git', 'a', 'b'), { recursive: true });
  expect(await checkResults(root, root)).toHaveLength(1);
});

test('what a plugin does not offer is counted, and core functions must be there', async () => {
  const root = newRoot();
  await sampleSubmission(root, { results: { [ID]: result('unsupported', { reason: 'not offered' }) } });
  const [examined] = await checkResults(root, root);
  expect(examined!.submission!.judgement).toMatchObject({ passes: true, counts: { 'not-offered': 1 } });
});
