import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { XmlDocument, XmlElement } from 'libxml2-wasm';
import { afterAll, expect, test } from 'vitest';
import { validateJunit, validJunit } from '../../tests/support/junit-schemas.ts';
import type { CaseResult } from '../model/case-result.ts';
import type { Event } from '../model/events.ts';
import type { Finding } from '../model/finding.ts';
import { applyEvent, foldRun } from '../model/run.ts';
import { everyStatus, facts, footer, header, result, suiteEvents } from '../model/sample-log.test-helper.ts';
import { verdict } from '../verdict/verdict.ts';
import { fixedTimeFrom, type ReportOptions } from './format.ts';
import { junitXml } from './junit.ts';
import { EventLog, readEvents } from './log.ts';

const directory = mkdtempSync(join(tmpdir(), 'pjrt-junit-'));
afterAll(() => rmSync(directory, { recursive: true }));

const huge = 'plugin output \x1b[31m]]>&lt;\x00 漢\n'.repeat(1 << 15);
const finding = (message: string, more: Partial<Finding> = {}): Finding => ({
  type: 'pjrt.WrongValue',
  level: 'must',
  message,
  ...more,
});
const failing = (message: string, more: Partial<Finding> = {}): CaseResult =>
  result('fail', { findings: [finding(message, more)] });

const junit = (events: Event[], options?: ReportOptions): string => junitXml(foldRun(events), options);

function elements(document: XmlDocument, path: string): XmlElement[] {
  return document.find(path).filter((node) => node instanceof XmlElement);
}

const attribute = (element: XmlElement, name: string): string => element.attr(name)?.value ?? '';

/** Checks every count in the file against its contents. */
function expectCountsToHold(document: XmlDocument): void {
  const number = (element: XmlElement, name: string): number => Number(attribute(element, name));
  const count = (path: string): number => document.find(path).length;
  for (const suite of elements(document, '/testsuites/testsuite')) {
    const at = `/testsuites/testsuite[@id="${attribute(suite, 'id')}"]/testcase`;
    expect(number(suite, 'tests')).toBe(count(at));
    expect(number(suite, 'failures')).toBe(count(`${at}[failure]`));
    expect(number(suite, 'errors')).toBe(count(`${at}[error]`));
    expect(number(suite, 'skipped')).toBe(count(`${at}[skipped]`));
  }
  expect(number(document.root, 'tests')).toBe(count('//testcase'));
  expect(number(document.root, 'failures')).toBe(count('//testcase[failure]'));
  expect(number(document.root, 'errors')).toBe(count('//testcase[error]'));
}

const suiteOf = (...results: (CaseResult | undefined)[]): Event[] => [
  header(),
  { type: 'plugin', plugin: facts() },
  ...suiteEvents(
    'a/b',
    results.map((entry, at) => ({ name: `case-${at}`, result: entry })),
  ),
];

test('golden file: one case of every status', async () => {
  await expect(junit(everyStatus())).toMatchFileSnapshot('golden/every-status.xml');
});

test('golden file: the same in the common flavour', async () => {
  const requirements = new Map([['BUF-H2D-001', 'What goes to a device comes back the same.']]);
  const bases = new Map([['BUF-H2D-001', 'pjrt_c_api.h of 0.30.']]);
  await expect(junit(everyStatus(), { junitFlavor: 'common', requirements, bases })).toMatchFileSnapshot(
    'golden/every-status-common.xml',
  );
});

test.each<[string, Event[]]>([
  ['every status', everyStatus()],
  ['killed in the middle', everyStatus().slice(0, 9)],
  ['header alone', [header()]],
  ['nothing at all', []],
  ['an empty suite', [header(), ...suiteEvents('a', []), footer()]],
  [
    'plugin that does not load',
    [
      header(),
      { type: 'plugin', plugin: facts({ failure: { stage: 'load', message: 'a.so: undefined symbol\nx' } }) },
      ...suiteEvents('a', [{ name: 'x' }]),
      footer({ exitCode: 3 }),
    ],
  ],
  [
    '1 MB on both streams',
    [
      ...suiteOf(
        result('crash', {
          stdout: { head: huge, tail: '', omittedBytes: 0 },
          stderr: { head: huge, tail: huge, omittedBytes: 9 },
        }),
      ),
      footer(),
    ],
  ],
  [
    'empty strings',
    [
      ...suiteOf(
        failing('', { type: '', detail: '', call: '', requirements: [] }),
        result('skip', { reason: '' }),
        result('fail'),
      ),
      footer(),
    ],
  ],
])('valid and consistent: %s', (_, events) => {
  using document = validJunit(junit(events));
  expectCountsToHold(document);
  using common = validJunit(junit(events, { junitFlavor: 'common' }), 'common');
  expectCountsToHold(common);
  expect(attribute(common.root, 'skipped')).toBe(String(common.find('//testcase[skipped]').length));
});

test('live and from the log file, the report is the same', () => {
  const log = new EventLog(join(directory, 'events.jsonl'));
  for (const event of everyStatus()) log.write(event);
  log.close();
  expect(junitXml(foldRun(readEvents(log.path)))).toBe(junit(everyStatus()));
});

test('no character and no markup from a plugin breaks the file or gets lost', () => {
  const nasty = fc.array(
    fc.oneof(
      fc.constantFrom(
        ']]>',
        '<![CDATA[',
        '-->',
        '&lt;',
        '&#27;',
        '&#0;',
        '<a b="',
        '\x1b[0m',
        '\x1b]0;t\x07',
        '\0',
        '\ufffe',
        '\ud800',
        '\r\n',
        '\n',
        '\t',
        "'",
        '"',
        '{x',
        '---',
      ),
      fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
    ),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(nasty, (parts) => {
      const text = parts.join('');
      const events: Event[] = [
        header({ host: { ...header().host, name: text }, profile: text, reproduce: text }),
        { type: 'plugin', plugin: facts({ name: text, platformVersion: text }) },
        ...suiteEvents('a/b', [
          { name: `x${text}`, result: failing(text, { detail: text, call: text, requirements: [text] }) },
          { name: 'skip', result: result('skip', { reason: text }) },
          {
            name: 'out',
            result: result('error', { stdout: { head: text, tail: text, omittedBytes: 3 }, findings: [finding(text)] }),
          },
        ]),
        footer({ exitCode: 1 }),
      ];
      const xml = junit(events);
      expect(xml).not.toContain('<![CDATA[');
      expect(xml.replace(/[\n\t]/g, '')).not.toMatch(/[^\x20-\x7e\xa0-\u{10ffff}]/u);
      validateJunit(xml);
      const requirements = new Map([[text, text]]);
      validateJunit(junit(events, { junitFlavor: 'common', requirements }), 'common');
    }),
    { numRuns: 300 },
  );
});

test('the file is readable with any UTF-16 unit, alone and before every kind of neighbour', () => {
  const units = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));
  const neighbours = ['', ' ', '\ud83d', '\ude00', '\x1b[', '&#'];
  for (const neighbour of neighbours) {
    const cases = Array.from({ length: 64 }, (_, block) => {
      const text = units.slice(block * 1024, (block + 1) * 1024).join(neighbour);
      return { name: `block-${block}`, result: failing(text, { detail: text }) };
    });
    validateJunit(junit([header(), ...suiteEvents('a', cases), footer({ exitCode: 1 })]));
  }
});

test('output of plugins reads back unchanged, with unprintable characters made visible', () => {
  const message = 'a ]]> &lt; <b> "q" \x1b[31mred\x1b[0m \x00 \ud800 \ufffe end';
  const shown = 'a ]]> &lt; <b> "q" red \\x00 \\u{d800} \\u{fffe} end';
  using document = validJunit(junit([...suiteOf(failing(message)), footer()]));
  const failure = elements(document, '//failure')[0]!;
  expect(attribute(failure, 'message')).toBe(shown);
  expect(failure.content.split('\n')[0]).toBe(shown);
  using lines = validJunit(junit([...suiteOf(failing('two\nlines\tand a tab')), footer()]));
  expect(attribute(elements(lines, '//failure')[0]!, 'message')).toBe('two\\nlines and a tab');
});

test('an independent reader sees the same contents', (context) => {
  const script = `
import sys, json, xml.etree.ElementTree as E
print(json.dumps([[e.tag, sorted(e.attrib.items()), e.text] for e in E.parse(sys.argv[1]).iter()]))`;
  if (spawnSync('python3', ['-c', 'import xml.etree.ElementTree']).status !== 0) context.skip('python3 is not here');
  const xml = junit([
    ...everyStatus().slice(0, -1),
    ...suiteEvents('z', [{ name: 'odd', result: failing('\x1b[1m]]>\0\ud800&amp;"\n\ufffe', { detail: huge }) }]),
    footer(),
  ]);
  const path = join(directory, 'second.xml');
  writeFileSync(path, xml);
  const python = spawnSync('python3', ['-c', script, path], { encoding: 'utf8', maxBuffer: 1 << 28 });
  expect(python.stderr).toBe('');
  using document = XmlDocument.fromString(xml);
  const mine = elements(document, '//*').map((element) => [
    element.name,
    element.attrs.map((entry) => [entry.name, entry.value]).sort(([a], [b]) => (a! < b! ? -1 : 1)),
    element.firstChild && !(element.firstChild instanceof XmlElement) ? element.firstChild.content : null,
  ]);
  expect(JSON.parse(python.stdout)).toEqual(mine);
});

test('the file is red exactly if the exit code is not 0', () => {
  const known = { reason: 'documented', evidence: 'x.yaml:1' };
  const failed = facts({ failure: { stage: 'client', message: 'no device' } });
  const should = (status: 'crash' | 'warn'): Event[] => [
    header(),
    ...suiteEvents('a', [
      { name: 'x', plan: { level: 'should' }, result: result(status) },
      { name: 'y', result: result('pass') },
    ]),
  ];
  const scenes: Event[][] = [
    suiteOf(result('pass')),
    suiteOf(result('pass'), undefined),
    suiteOf(result('unsupported', { reason: 'x' })),
    suiteOf(result('pass'), result('fail', { knownDeviation: known })),
    suiteOf(result('pass'), result('error')),
    [...suiteOf(result('pass')), { type: 'note', level: 'error', message: 'fault' }],
    [...suiteOf(result('pass')), { type: 'start', id: 'ghost', worker: 1, atMs: 1 }],
    [...suiteOf(result('pass')), { type: 'plugin', plugin: failed }],
    [...suiteOf(result('pass'), undefined), { type: 'plugin', plugin: failed }],
    should('crash'),
    should('warn'),
    [header()],
  ];
  for (const events of scenes) {
    for (const strict of [true, false]) {
      for (const acceptKnown of [true, false]) {
        for (const ending of ['complete', 'interrupted', 'cut-off'] as const) {
          const run = foldRun(events);
          run.header = { ...run.header!, options: { strict, acceptKnown } };
          const { exitCode, line } = verdict(run, { ending });
          if (ending !== 'cut-off') {
            const interrupted = ending === 'interrupted';
            applyEvent(run, footer({ interrupted, exitCode, verdict: line }));
          }
          using document = validJunit(junitXml(run));
          expectCountsToHold(document);
          expect(document.find('//failure|//error').length > 0).toBe(exitCode !== 0);
        }
      }
    }
  }
});

test('synthetic cases explain why a run proves nothing', () => {
  const [load, other] = [
    facts({ name: 'one', path: './one.so', failure: { stage: 'version', message: 'major 9', code: 'ABI' } }),
    facts({ name: 'two', path: './two.so' }),
  ];
  const events: Event[] = [
    header(),
    { type: 'plugin', plugin: load! },
    { type: 'plugin', plugin: other! },
    ...suiteEvents('a', [{ name: 'x' }]),
  ];
  using document = validJunit(junit(events));
  const cases = elements(document, '//testcase[@classname="pjrt.harness"]');
  expect(cases.map((item) => attribute(item, 'name'))).toEqual(['plugin loads[plugin=one]', 'run completed']);
  expect(elements(document, '//failure').map((item) => attribute(item, 'message'))).toEqual([
    'version of one failed: ABI: major 9',
  ]);
  expect(elements(document, '//error').map((item) => attribute(item, 'type'))).toEqual(['pjrt.RunIncomplete']);
  expect(elements(document, '//property[@name="pjrt.plugin2.name"]').map((item) => attribute(item, 'value'))).toEqual([
    'two',
    'two',
  ]);
});

test('the body begins with the essential facts and stays short', () => {
  const many = Array.from({ length: 30 }, (_, at) =>
    finding(`finding ${at}`, { detail: 'row\n'.repeat(100), requirements: ['A-1'] }),
  );
  const stderr = { head: 'noise\n'.repeat(500), tail: '', omittedBytes: 0 };
  using document = validJunit(junit([...suiteOf(result('fail', { findings: many, stderr })), footer()]));
  const lines = elements(document, '//failure')[0]!.content.split('\n');
  expect(lines.slice(0, 4)).toEqual([
    'finding 0 (and 29 more)',
    ' suites/a/b.yaml:7',
    'requirement: A-1   level: MUST   profile: standard',
    'row',
  ]);
  expect(lines.length).toBeLessThan(100);
  expect(lines).toContain('… 24 more findings in events.jsonl');
  expect(lines).toContain('… 76 more lines in events.jsonl');
});

test('suites are in byte order, whatever order they ran in; fixed time and host name make files equal', () => {
  const a = suiteEvents('a', [{ name: 'x', result: result('pass', { durationMs: 3 }) }]);
  const b = suiteEvents('B', [{ name: 'x', result: result('pass', { durationMs: 5 }) }]);
  const fixed: ReportOptions = { hostname: 'any', fixedTime: fixedTimeFrom({ SOURCE_DATE_EPOCH: '86400' }) };
  const one = junit([header(), ...a, ...b, footer()], fixed);
  const two = junit([header({ startedAt: '2027-01-01T00:00:00Z' }), ...b, ...a, footer({ durationMs: 9 })], fixed);
  expect(one).toBe(two);
  expect(one).toContain('timestamp="1970-01-02T00:00:00" hostname="any"');
  expect(one.indexOf('"B"')).toBeLessThan(one.indexOf('"a"'));
  expect(fixedTimeFrom({ SOURCE_DATE_EPOCH: 'soon' })).toBeUndefined();
});

test('a known deviation is a failure, or an expected one if it is accepted', () => {
  const events = suiteOf(
    result('pass'),
    result('fail', {
      findings: [finding('off by one')],
      knownDeviation: { reason: 'rounds down', evidence: 'k.yaml:4' },
    }),
  );
  const judged = (acceptKnown: boolean) =>
    junit([header({ options: { acceptKnown } }), ...events.filter(({ type }) => type !== 'header'), footer()]);
  expect(judged(false)).toContain('known deviation: rounds down (k.yaml:4)');
  expect(judged(true)).toContain('<skipped message="EXPECTED_FAIL: rounds down (k.yaml:4): off by one">');
});

test('the common flavour has the location and the subject of each case', () => {
  const numerics = [1, 17, 3].map((maxUlp) => ({
    ...{ what: 'y', index: 0, expectedBits: '0x0', actualBits: '0x1' },
    maxUlp,
    allowedUlp: maxUlp + 1,
  }));
  const endless = { ...numerics[0]!, maxUlp: Number.POSITIVE_INFINITY, allowedUlp: 4 };
  const events = [
    ...suiteOf(
      result('pass', { numerics }),
      failing('off', { line: 99, call: 'PJRT_Client_Devices' }),
      result('crash', { inFlight: 'PJRT_Buffer_Destroy' }),
      result('fail', { numerics: [numerics[1]!, endless] }),
      undefined,
    ),
    footer({ exitCode: 1 }),
  ];
  using document = validJunit(junit(events, { junitFlavor: 'common' }), 'common');
  const found = elements(document, '//testcase').map((item) => ({
    place: `${attribute(item, 'file')}:${attribute(item, 'line')}`,
    ...Object.fromEntries(
      item
        .find('properties/property')
        .filter((node) => node instanceof XmlElement)
        .map((node) => [attribute(node, 'name'), attribute(node, 'value')]),
    ),
  }));
  const about = (at: number) => ({ requirement: 'BUF-H2D-001', level: 'MUST', title: `Title of a/b:case-${at}` });
  const place = 'suites/a/b.yaml:7';
  const cause = (text: string) => ({ 'pjrt.root-cause': `${text} (1 case fails)` });
  expect(found).toEqual([
    { ...about(0), place, maxUlp: '17', allowedUlp: '18' },
    { ...about(1), place: 'suites/a/b.yaml:99', 'pjrt.call': 'PJRT_Client_Devices', ...cause('2: off') },
    {
      ...about(2),
      place,
      'pjrt.call': 'PJRT_Buffer_Destroy',
      ...cause('1: the process exits with code unknown in PJRT_Buffer_Destroy'),
    },
    { ...about(3), place, ...cause('3: Title of a/b:case-3'), maxUlp: 'Infinity', allowedUlp: '4' },
    { ...about(4), place },
  ]);
  // The log has null for infinity.
  const fromLog = JSON.parse(JSON.stringify(events)) as Event[];
  expect(junit(fromLog, { junitFlavor: 'common' })).toBe(junit(events, { junitFlavor: 'common' }));
  expect(() => validateJunit(junit(events, { junitFlavor: 'common' }))).toThrow(/not allowed/);
});

test('properties of a suite have the provenance of the result', () => {
  const plugin = facts({ buildId: '0123abcd', manifest: 'example', options: ['num_devices:int64=2', 'x:string=y z'] });
  const events: Event[] = [
    header({ shard: { index: 1, count: 3 }, options: { strict: true } }),
    { type: 'plugin', plugin },
    ...suiteEvents('a', [{ name: 'x', result: result('pass') }]),
    footer(),
  ];
  using document = validJunit(junit(events));
  const found = elements(document, '//property').map((item) => [attribute(item, 'name'), attribute(item, 'value')]);
  expect(Object.fromEntries(found)).toMatchObject({
    'pjrt.tool.version': '0.1.0',
    'pjrt.profile': 'standard',
    'pjrt.shard': '1/3',
    'pjrt.strict': 'true',
    'pjrt.accept-known': 'false',
    'pjrt.host': 'linux 6.1 x64',
    'pjrt.suite.sha256': 'cd'.repeat(32),
    'pjrt.plugin.sha256': plugin.sha256,
    'pjrt.plugin.build-id': '0123abcd',
    'pjrt.plugin.manifest': 'example',
    'pjrt.plugin.options': 'num_devices:int64=2 x:string=y z',
    'pjrt.plugin.api-version': '0.90',
  });
});

test('our schema rejects what readers cannot handle', () => {
  const good = junit(everyStatus());
  const violated: [string, string][] = [
    ['time="2.500"', 'time="2.5001"'],
    ['type="pjrt.Crash"', 'type="string"'],
    ['classname="pjrt.errors.handling"', 'classname="errors/handling"'],
    ['name="bitcast"', 'name="two-plugins"'],
    ['name="bitcast"', 'name="bitcast" file="x.yaml"'],
    ['timestamp="2026-02-03T04:05:06"', 'timestamp="2026-02-03T04:05:06Z"'],
    ['NOT_SUPPORTED: ', ''],
    ['errors="3"', 'errors="3" skipped="3"'],
    [' skipped="3"', ''],
    ['hostname="build-host"', ''],
  ];
  for (const [from, to] of violated) {
    expect(good).toContain(from);
    expect(() => validateJunit(good.replace(from, to)), `${from} → ${to}`).toThrow();
  }
});
