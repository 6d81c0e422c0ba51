import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { makeZip } from '../../host/plugins/make-zip.test-helper.ts';
import type { Event } from '../../model/events.ts';
import { foldRun } from '../../model/run.ts';
import { everyStatus, facts, footer, header, result } from '../../model/sample-log.test-helper.ts';
import { EventLog } from '../../report/index.ts';
import { type JsonReport, writeJson } from '../../report/json.ts';
import { writeJunit } from '../../report/junit.ts';
import { verdict } from '../../verdict/verdict.ts';
import { type BundledFile, bundleManifest } from '../bundle/manifest.ts';
import { writeZip } from '../bundle/write-zip.ts';
import { RULES, type Rule, UnreadableError } from './rules.ts';
import { verifyBundle } from './verify-bundle.ts';

const directory = mkdtempSync(join(tmpdir(), 'pjrt-verify-'));
afterAll(() => rmSync(directory, { recursive: true }));
let files = 0;
const fresh = (name: string): string => join(directory, `${files++}-${name}`);

type Of<T extends Event['type']> = Extract<Event, { type: T }>;

const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');
const suiteText = (suite: string): string => `suite: ${suite}\n`;
const EXPECTATIONS = 'expectations:\n';
const EXPECTED = { file: 'expectations.yaml', line: 2, expect: ['fail' as const], reason: 'known' };

/** A valid log with one case of every kind; the plan first, as the harness writes it. */
function valid(): Event[] {
  const all = everyStatus().map((event): Event => {
    if (event.type === 'suite') return { ...event, sha256: sha256(suiteText(event.suite)) };
    if (event.type === 'header') {
      const read = { files: [{ file: EXPECTED.file, sha256: sha256(EXPECTATIONS) }], date: '2026-02-03' };
      return { ...event, expectations: read, environment: { XLA_FLAGS: '' } };
    }
    if (event.type === 'case' && event.id.endsWith('known-wrong')) {
      return { ...event, result: { ...event.result, expectation: { ...EXPECTED, outcome: 'met' } } };
    }
    return event;
  });
  const planning = all.filter(({ type }) => type === 'header' || type === 'suite');
  return ended([...planning, ...all.filter((event) => !planning.includes(event))]);
}

/** With the footer that the harness would write. */
function ended(events: readonly Event[], more: Partial<Of<'footer'>> = {}): Event[] {
  const body = events.filter(({ type }) => type !== 'footer');
  const run = foldRun(body);
  const { exitCode, line } = verdict(run, { ending: 'complete' });
  return [...body, footer({ counts: run.counts, exitCode, verdict: line, ...more })];
}

interface File {
  path: string;
  role: BundledFile['role'];
  of?: string;
  content: Buffer;
}

/** The files of a bundle of these events; everything derived from the log is generated again, as a careful forger would. */
function filesOf(events: readonly Event[], log = written(events)): File[] {
  const run = foldRun(events);
  let junit = '';
  writeJunit(run, (chunk) => (junit += chunk));
  let json = '';
  writeJson(run, (chunk) => (json += chunk));
  const suites = run.suites.map(({ suite }): File => {
    return { path: `suites/${suite}.yaml`, role: 'suite', of: suite, content: Buffer.from(suiteText(suite)) };
  });
  return [
    { path: 'events.jsonl', role: 'log', content: log },
    { path: 'reports/junit.xml', role: 'report', of: 'junit', content: Buffer.from(junit) },
    { path: 'reports/report.json', role: 'report', of: 'json', content: Buffer.from(json) },
    ...suites,
    { path: 'expectations/1.yaml', role: 'expectations', of: EXPECTED.file, content: Buffer.from(EXPECTATIONS) },
  ];
}

function written(events: readonly Event[]): Buffer {
  const path = fresh('events.jsonl');
  const log = new EventLog(path);
  for (const event of events) log.write(event);
  log.close();
  return readFileSync(path);
}

type Manifest = ReturnType<typeof bundleManifest>;

const manifestOf = (events: readonly Event[], packed: readonly File[]): Manifest => {
  const listed = packed.map(({ content, ...file }) => ({ ...file, bytes: content.length, sha256: sha256(content) }));
  return bundleManifest(events[0] as Of<'header'>, events.at(-1) as Of<'footer'>, foldRun(events).plugins, listed);
};

async function packed(manifest: unknown, contents: readonly File[]): Promise<string> {
  const path = fresh('bundle.zip');
  await writeZip(path, [
    { path: 'manifest.json', from: Buffer.from(JSON.stringify(manifest)) },
    ...contents.map(({ path: name, content }) => ({ path: name, from: content })),
  ]);
  return path;
}

const bundleOf = (events: readonly Event[]): Promise<string> =>
  packed(manifestOf(events, filesOf(events)), filesOf(events));

async function invalid(bundle: string | Promise<string>): Promise<Rule[]> {
  const { violations } = await verifyBundle(await bundle);
  return [...new Set(violations.map(({ rule }) => rule))];
}

test('a valid bundle passes, and is the same byte for byte each time', async () => {
  const bundle = await bundleOf(valid());
  expect(await verifyBundle(bundle)).toMatchObject({ violations: [], files: 7, cases: 10, exitCode: 1 });
  expect(readFileSync(await bundleOf(valid()))).toEqual(readFileSync(bundle));
});

test.each<[string, Event[], number]>([
  ['nothing but passes', valid().map((e) => (e.type === 'case' ? { ...e, result: result('pass') } : e)), 5],
  ['an interrupted run', valid(), 130],
  [
    'a refused version',
    [...valid(), { type: 'plugin', plugin: facts({ failure: { stage: 'version', message: 'no' } }) }],
    4,
  ],
  ['a breach outside any case', [...valid(), { type: 'note', level: 'warning', message: 'it died', breach: true }], 1],
])('the exit code is derived as in the harness: %s', async (_, events, exitCode) => {
  const whole = ended(events, exitCode === 130 ? { interrupted: true, exitCode } : {});
  expect(whole.at(-1)).toMatchObject({ exitCode });
  expect(await invalid(bundleOf(whole))).toEqual([]);
});

/** Events with one changed; derived data is generated again. */
const edited = <T extends Event['type']>(type: T, edit: (event: Of<T>) => object, at = 0): Event[] => {
  let seen = -1;
  return valid().map((event) =>
    event.type === type && ++seen === at ? ({ ...event, ...edit(event as Of<T>) } as Event) : event,
  );
};

const inLog = (edit: (text: string) => string): Promise<string> => {
  const events = valid();
  const contents = filesOf(events, Buffer.from(edit(written(events).toString('utf8'))));
  return packed(manifestOf(events, contents), contents);
};

const inFile = (name: string, edit: (text: string) => string): Promise<string> => {
  const events = valid();
  const contents = filesOf(events).map((file) =>
    file.path === name ? { ...file, content: Buffer.from(edit(file.content.toString('utf8'))) } : file,
  );
  return packed(manifestOf(events, contents), contents);
};

const inManifest = (edit: (manifest: Manifest) => unknown): Promise<string> => {
  const events = valid();
  return packed(edit(manifestOf(events, filesOf(events))), filesOf(events));
};

const inPlan = (id: string): Promise<string> =>
  bundleOf(edited('suite', ({ cases }) => ({ cases: [...cases, { ...cases[0]!, id, name: id.split(':')[1]! }] })));

const archive = (name: string, more: object = {}): string => {
  const path = fresh('odd.zip');
  const events = valid();
  const contents = filesOf(events);
  const entries = contents.map((file) => ({ name: file.path, data: file.content.toString('utf8') }));
  const manifest = { name: 'manifest.json', data: JSON.stringify(manifestOf(events, contents)) };
  writeFileSync(path, makeZip([manifest, ...entries, { name, data: 'x', ...more }]));
  return path;
};

/** One minimal manipulation for each rule. */
const TAMPERINGS: Record<Exclude<Rule, 'archive-size'>, () => string | Promise<string>> = {
  'archive-names': () => archive('../out.txt'),
  'archive-data': () => archive('suite-data/sets.yaml', { crc: 1 }),
  'manifest-schema': () => inManifest(({ files: _, ...rest }) => rest),
  'manifest-files': () => inManifest(({ files, ...rest }) => ({ ...rest, files: files.slice(0, -1) })),
  'file-hash': () =>
    inManifest(({ files: [first, ...others], ...rest }) => ({ ...rest, files: [{ ...first, bytes: 1 }, ...others] })),
  'manifest-run': () => inManifest((manifest) => ({ ...manifest, run: { ...manifest.run, exitCode: 0 } })),
  'log-lines': () => inLog((text) => text.replace('\n', '\n\n')),
  'log-schema': () => inLog((text) => text.replace('"worker":1', '"worker":-1')),
  'log-order': () => inLog((text) => `${text}{"type":"note","level":"info","message":"later"}\n`),
  'log-seal': () => inLog((text) => text.replace('"durationMs":2500', '"durationMs":2501')),
  'log-clock': () => bundleOf(edited('case', () => ({ atMs: 0 }), 2)),
  plan: () => inPlan('buffers/host-transfer:round-trip[dtype=f32,shape=2x3]'),
  results: () => {
    const events = valid();
    const twice = events.find(({ type }) => type === 'case')!;
    return bundleOf(ended([...events.slice(0, 5), twice, ...events.slice(5)]));
  },
  counts: () => bundleOf(edited('footer', ({ counts }) => ({ counts: { ...counts, pass: 2, fail: 1 } }))),
  status: () => bundleOf(ended(edited('case', ({ result: r }) => ({ result: { ...r, status: 'pass' } }), 2))),
  expectation: () =>
    bundleOf(
      edited(
        'case',
        ({ result: r }) => ({ result: { ...r, expectation: { ...EXPECTED, outcome: 'unexpected-pass' } } }),
        3,
      ),
    ),
  'exit-code': () => bundleOf(edited('footer', () => ({ exitCode: 0, verdict: 'passes' }))),
  'report-json': () => inFile('reports/report.json', (text) => text.replace('"status": "fail"', '"status": "warn"')),
  'report-junit': () => inFile('reports/junit.xml', (text) => text.replace('name="sine[', 'name="cosine[')),
  'suite-hash': () => inFile('suites/errors/handling.yaml', (text) => `${text}# changed\n`),
  'expectations-hash': () => inFile('expectations/1.yaml', (text) => `${text}# changed\n`),
  'plugin-hash': () => {
    const events = valid();
    const plugin: File = { path: 'plugin/a.so', role: 'plugin', of: 'example', content: Buffer.from('ELF') };
    const contents = [...filesOf(events), plugin];
    return packed(manifestOf(events, contents), contents);
  },
};

describe('a manipulation is reported by the rule that it violates', () => {
  test.each(Object.entries(TAMPERINGS))('%s', async (rule, tamper) => {
    expect(await invalid(tamper())).toContain(rule);
  });

  test('archive-size', async () => {
    expect(Object.keys(TAMPERINGS).length).toBe(Object.keys(RULES).length - 1);
    const plenty = { entries: 100, totalBytes: 1e6, keptBytes: 1e6 };
    const bomb = fresh('bomb.zip');
    await writeZip(bomb, [
      { path: 'manifest.json', from: Buffer.from('{}') },
      { path: 'reports/zeros', from: Buffer.alloc(2e6) },
    ]);
    const rules = async (path: string, limits: object) =>
      (await verifyBundle(path, { ...plenty, ...limits })).violations.map(({ rule }) => rule);
    expect(await rules(bomb, {})).toContain('archive-size');
    expect(await rules(bomb, { totalBytes: 1e7 })).toContain('archive-size');
    expect(await rules(await bundleOf(valid()), { entries: 3 })).toContain('archive-size');
    expect(await rules(await bundleOf(valid()), {})).toEqual([]);
  });

  test('other ways to violate the same rules', async () => {
    const pass = (text: string): string => text.replace(/<failure[\s\S]*?<\/failure>/, '');
    expect(await invalid(inFile('reports/junit.xml', pass))).toContain('report-junit');
    expect(
      await invalid(inFile('reports/junit.xml', (text) => text.replace('<testsuites', '<!DOCTYPE x><testsuites'))),
    ).toContain('report-junit');
    expect(
      await invalid(inFile('reports/report.json', (text) => text.replace('"exitCode": 1', '"exitCode": 0'))),
    ).toContain('report-json');
    expect(await invalid(bundleOf(valid().filter((e) => e.type !== 'start')))).toContain('results');
    expect(await invalid(bundleOf(ended(edited('suite', ({ cases }) => ({ cases: cases.slice(1) })))))).toContain(
      'results',
    );
    expect(await invalid(inPlan('other/suite:x'))).toContain('plan');
    expect(await invalid(inLog((text) => text.slice(0, -1)))).toContain('log-lines');
    expect(await invalid(inLog((text) => text.replace(/.*\n$/, '')))).toContain('log-order');
    expect(await invalid(archive('events.jsonl'))).toContain('archive-names');
    expect(await invalid(archive('suites/link', { mode: 0o120777 }))).toContain('archive-names');
    expect(await invalid(archive('/etc/passwd'))).toContain('archive-names');
    expect(await invalid(archive('a\\b'))).toContain('archive-names');
    expect(await invalid(archive('extra.txt'))).toContain('manifest-files');
    // A case that failed is not one in which the process hung.
    const trace = { before: 0, calls: [{ call: 'PJRT_Client_Compile', answer: 'HANG' }] };
    const hung = edited('case', ({ result: r }) => ({ result: { ...r, trace } }), 2);
    expect(await invalid(bundleOf(ended(hung)))).toContain('status');
    // Nor does a case pass with wrong numbers, or have more wrong ones than there are.
    const numerics = (more: object) => [
      {
        what: 'y',
        maxUlp: 0,
        allowedUlp: 4,
        index: 0,
        expectedBits: '',
        actualBits: '',
        elements: 8,
        mismatches: 0,
        ...more,
      },
    ];
    const counting = (at: number, more: object) =>
      invalid(bundleOf(ended(edited('case', ({ result: r }) => ({ result: { ...r, numerics: numerics(more) } }), at))));
    expect(await counting(0, {})).not.toContain('status');
    expect(await counting(0, { mismatches: 1 })).toContain('status');
    expect(await counting(2, { mismatches: 1, nanMismatches: 2 })).toContain('status');
    expect(await counting(2, { mismatches: 9 })).toContain('status');
    // The summary must not have what the log does not.
    expect(valid().at(-1)).toMatchObject({ counts: { flaky: 0 } });
    const more = (text: string): string => text.replace(/("summary": \{[\s\S]*?"flaky": )0/, '$12');
    expect(await invalid(inFile('reports/report.json', more))).toContain('report-json');
  });

  test.each<[what: string, change: (report: JsonReport) => void]>([
    ['a case that is in no root cause', ({ rootCauses }) => rootCauses.pop()],
    ['one that is in two', ({ rootCauses: [first, second] }) => second!.failed.push(first!.failed[0]!)],
    ['one that did not break', ({ rootCauses: [first], suites }) => first!.failed.push(suites[0]!.cases[0]!.id)],
    ['one that was tried', ({ rootCauses: [first, second] }) => second!.blocked.push(...first!.failed.splice(0))],
    ['one that there is not', ({ rootCauses: [first] }) => first!.failed.push('no/suite:case')],
    ['a case that names another', ({ suites }) => (suites[0]!.cases.find((one) => one.rootCause)!.rootCause = 99)],
    ['a level of what breaks nothing', ({ rootCauses }) => delete rootCauses[0]!.level],
    ['numbers out of order', ({ rootCauses }) => rootCauses.reverse()],
    ['more exercised than was', ({ exercised }) => exercised.tried++],
  ])('root causes with %s', async (_, change) => {
    const tampered = inFile('reports/report.json', (text) => {
      const report = JSON.parse(text) as JsonReport;
      change(report);
      return JSON.stringify(report);
    });
    expect(await invalid(tampered)).toEqual(['report-json']);
  });

  const elsewhere = (path: string, to: string): Promise<string> => {
    const events = valid();
    const contents = filesOf(events).map((file) => (file.path === path ? { ...file, path: to } : file));
    return packed(manifestOf(events, contents), contents);
  };

  test.each(['events.jsonl', 'reports/report.json', 'reports/junit.xml'])(
    'a file that is examined must be at its path: %s',
    async (path) => {
      expect(await invalid(elsewhere(path, `plugin/${path}`))).toContain('manifest-files');
    },
  );

  test.each<[string, object]>([
    ['of a file that was not read', { file: 'other.yaml', outcome: 'met' }],
    ['that is over', { expires: '2026-02-02', outcome: 'met' }],
    ['that never ends', { outcome: 'expired' }],
  ])('an expectation %s', async (_, more) => {
    const made = edited('case', ({ result: r }) => ({ result: { ...r, expectation: { ...EXPECTED, ...more } } }), 3);
    expect(await invalid(bundleOf(ended(made)))).toEqual(['expectation']);
  });
});

test('any change of a log is reported, even if all hashes of the bundle are generated again', async () => {
  const events = valid();
  const log = written(events);
  const lines = log.toString('utf8').split('\n').slice(0, -1);
  const place = fc.nat({ max: log.length - 1 });
  const line = fc.nat({ max: lines.length - 1 });
  const joined = (changed: readonly string[]): Buffer => Buffer.from(`${changed.join('\n')}\n`);
  const damage = fc.oneof(
    fc.tuple(place, fc.integer({ min: 1, max: 255 })).map(([at, mask]) => {
      const changed = Buffer.from(log);
      changed[at]! ^= mask;
      return changed;
    }),
    fc
      .tuple(place, fc.uint8Array({ minLength: 1, maxLength: 8 }))
      .map(([at, more]) => Buffer.concat([log.subarray(0, at), more, log.subarray(at)])),
    fc
      .tuple(place, fc.integer({ min: 1, max: 40 }))
      .map(([at, length]) => Buffer.concat([log.subarray(0, at), log.subarray(at + length)])),
    line.map((at) => joined(lines.filter((_, index) => index !== at))),
    fc.tuple(line, line).map(([from, to]) => joined(lines.toSpliced(to, 0, lines[from]!))),
    fc
      .tuple(line, line)
      .filter(([a, b]) => lines[a] !== lines[b])
      .map(([a, b]) => joined(lines.with(a, lines[b]!).with(b, lines[a]!))),
  );
  await fc.assert(
    fc.asyncProperty(
      damage.filter((changed) => !changed.equals(log)),
      async (changed) => {
        const contents = filesOf(events, changed);
        const bundle = await packed(manifestOf(events, contents), contents);
        const outcome = await invalid(bundle).catch((error) => error);
        rmSync(bundle);
        if (outcome instanceof UnreadableError) return;
        expect(outcome).not.toEqual([]);
      },
    ),
    { numRuns: 150 },
  );
});

test('an archive that is damaged anywhere is reported or rejected, without side effects', async () => {
  const whole = readFileSync(await bundleOf(valid()));
  const damage = fc.oneof(
    fc.tuple(fc.nat({ max: whole.length - 1 }), fc.integer({ min: 1, max: 255 })).map(([at, mask]) => {
      const changed = Buffer.from(whole);
      changed[at]! ^= mask;
      return changed;
    }),
    fc.nat({ max: whole.length - 1 }).map((size) => whole.subarray(0, size)),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  );
  await fc.assert(
    fc.asyncProperty(damage, async (changed) => {
      const bundle = fresh('damaged.zip');
      writeFileSync(bundle, changed);
      const outcome = await invalid(bundle).catch((error) => error);
      rmSync(bundle);
      // A bit that no reader uses, such as in the time of an entry, changes nothing.
      expect(Array.isArray(outcome) || outcome instanceof UnreadableError).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test('the verifier knows the logs that this tool writes', async () => {
  await expect(
    verifyBundle(await bundleOf(valid())),
    'a new minor of the log: once it knows what is new, raise KNOWN_MINOR in harness/commands/verify/read-log.ts',
  ).resolves.toBeDefined();
});

describe('unreadable archives', () => {
  test.each<[string, () => string | Promise<string>, RegExp]>([
    ['no file', () => join(directory, 'none.zip'), /not a readable bundle: there is no such file/],
    ['no archive', textFile, /not a readable bundle/],
    ['an archive without a manifest', otherArchive, /there is no manifest\.json in it/],
    [
      'a bundle of a later version',
      () => inManifest((manifest) => ({ ...manifest, version: '2.0' })),
      /a bundle of version 2\.0/,
    ],
    [
      'a log of a later version',
      () => bundleOf([header({ version: '1.999' }), ...valid().slice(1)]),
      /a log of version 1\.999/,
    ],
  ])('%s', async (_, make, message) => {
    await expect(verifyBundle(await make())).rejects.toThrow(message);
    await expect(verifyBundle(await make())).rejects.toBeInstanceOf(UnreadableError);
  });
});

function textFile(): string {
  const path = fresh('text.zip');
  writeFileSync(path, 'no archive');
  return path;
}

function otherArchive(): string {
  const path = fresh('other.zip');
  writeFileSync(path, makeZip([{ name: 'a.txt', data: 'a' }]));
  return path;
}
