import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { packagePath } from '../base/paths.ts';
import { coverage, coverageJson, coverageMarkdown, formatCoverage } from './coverage.ts';
import { heaviest, levelOf, loadRequirements, parseRequirements } from './requirements.ts';
import { readSample, SAMPLE_REQUIREMENTS, sampleCase } from './sample-suite.test-helper.ts';

/** The first requirements of this project that the reference document does not have; later ones say where they come from. */
const isOwn = (id: string): boolean => /^(?:HYG-|COX-|CORE-|NUM-|CMP-OPT-00[67])/.test(id);

/** What no header says and no framework relies on. */
const WITHOUT_SOURCE = [
  ...['BUF-META-011', 'BUF-RAW-003', 'CMP-LOD-002', 'CMP-LOD-003', 'EXE-OPP-003', 'H2D-TRD-003', 'TOP-CAN-002'],
  'TOP-KID-001',
];

/**
 * Corrected levels: XLA's CPU plugin aborts without options, libtpu refuses that, and no framework does it; it is the consumer
 * that may not keep a value.
 */
const CORRECTED = new Map([
  ['CMP-OPT-001', 'may'],
  ['KV-006', 'caller'],
  ...WITHOUT_SOURCE.map((id) => [id, 'should'] as const),
]);

test('the catalogue of the package', () => {
  const catalogue = [...loadRequirements().values()];
  for (const { id, text } of catalogue) {
    expect(text, id).toMatch(/^[A-Z-].*\.$/s);
    expect(text.length, id).toBeLessThanOrEqual(160);
  }
});

test('whatever a plugin is failed for names its source', () => {
  const binding = [...loadRequirements().values()].filter(({ level }) => level === 'must' || level === 'opt');
  const without = binding.filter(({ source }) => source === undefined).map(({ id }) => id);
  expect(without).toEqual([]);
});

test('the catalogue has the ids and levels of the reference document, if that is available', () => {
  const file = packagePath('..', 'shared', 'reference', 'requirements.md');
  if (!existsSync(file)) return;
  const levels: Record<string, string> = {
    MUST: 'must',
    SHOULD: 'should',
    MAY: 'may',
    OPT: 'opt',
    'MUST (caller)': 'caller',
  };
  const rows = readFileSync(file, 'utf8').matchAll(
    /^\| ([A-Z0-9-]+-\d{3}) \|.*\| (MUST|SHOULD|MAY|OPT|MUST \(caller\)) \| [^|]*\|[^|]*\| [ymn] \|$/gm,
  );
  const expected = new Map([...rows].map((row) => [row[1]!, CORRECTED.get(row[1]!) ?? levels[row[2]!]]));
  const known = [...loadRequirements().values()].filter(({ id }) => !isOwn(id));
  const derived = known.filter(({ id }) => expected.has(id));
  expect(new Map(derived.map(({ id, level }) => [id, level]))).toEqual(expected);
  expect(known.filter(({ id, source }) => !expected.has(id) && source === undefined).map(({ id }) => id)).toEqual([]);
});

test('mistakes in a catalogue', () => {
  const parse = (text: string) => () => parseRequirements(text, 'r.yaml');
  expect(
    parse(
      'areas:\n  a:\n    - {id: A-001, api: x, level: shall, cpu: "y", text: t}\n    - {id: a, api: x, level: must, cpu: "y"}\n',
    ),
  ).toThrowErrorMatchingInlineSnapshot(`
    [SuiteError: r.yaml:3:34: areas.a[0].level: unknown value
        expected: one of must, should, may, opt, caller
        got: "shall"
    r.yaml:4:7: areas.a[1]: missing key "text"
        expected: The requirement in one line.
    r.yaml:4:12: areas.a[1].id: wrong form
        expected: an id such as BUF-HOST-002
        got: "a"]
  `);
  const row = '    - {id: A-001, api: x, level: must, cpu: "y", text: t}\n';
  expect(parse(`areas:\n  a:\n${row}${row}`)).toThrowErrorMatchingInlineSnapshot(
    `[SuiteError: r.yaml:4:12: areas.a[1].id: requirement A-001 twice]`,
  );
  expect(() => loadRequirements('nowhere.yaml')).toThrow('nowhere.yaml: cannot be read');
});

test('levels', () => {
  expect(heaviest([])).toBe('may');
  expect(levelOf('RES-002', SAMPLE_REQUIREMENTS)).toBe('may');
  expect(heaviest(['BUF-HOST-005', 'BUF-UNI-001'].map((id) => levelOf(id, SAMPLE_REQUIREMENTS)))).toBe('opt');
});

const { cases } = readSample(sampleCase('matrix: {a: [1, 2]}\nsteps: [{probe: event-on-ready}]'));
const found = coverage(cases, SAMPLE_REQUIREMENTS);

test('coverage as text', () => {
  expect(formatCoverage(found)).toMatchInlineSnapshot(`
    "1 of 5 requirements have a case

      host-buffers  1 of 3
      client        0 of 2

      must          1 of 2
      should        0 of 1
      opt           0 of 1
      caller        0 of 1

    Without a case:
      BUF-HOST-005 (should) A dimension of zero is accepted.
      BUF-UNI-001 (opt) It becomes ready.
      CLI-LKP-002 (must) An unknown id is an error.
      RES-002 (caller) Objects go before their client.
    "
  `);
});

test('coverage as JSON', () => {
  const parsed = JSON.parse(coverageJson(found));
  expect(parsed).toMatchObject({
    total: 5,
    covered: 1,
    areas: [
      { area: 'host-buffers', total: 3, covered: 1 },
      { area: 'client', total: 2, covered: 0 },
    ],
  });
  expect(parsed.requirements[0]).toMatchObject({ id: 'BUF-HOST-002', cases: ['sample:one'] });
});

test('coverage as Markdown', () => {
  expect(coverageMarkdown(found)).toMatchInlineSnapshot(`
    "1 of 5 requirements have a case.

    ## host-buffers (1 of 3)

    | Id | Level | Requirement | Cases |
    |---|---|---|---|
    | BUF-HOST-002 | must | Data comes back bit by bit. | \`sample:one\` |
    | BUF-HOST-005 | should | A dimension of zero is accepted. | none |
    | BUF-UNI-001 | opt | It becomes ready. | none |

    ## client (0 of 2)

    | Id | Level | Requirement | Cases |
    |---|---|---|---|
    | CLI-LKP-002 | must | An unknown id is an error. | none |
    | RES-002 | caller | Objects go before their client. | none |
    "
  `);
});
